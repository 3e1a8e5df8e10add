#include "bench/methods/lookahead.h"

#include <memory>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {
namespace {

std::unique_ptr<PhasePlan> make_plan(const PlanInputs& inputs) {
  const DecoderOptions& given = inputs.options;
  const LookaheadOptions options{.window = {.width = given.integer("window"),
                                            .n = given.integer("n"),
                                            .seed = given.integer("seed")},
                                 .guesses = given.integer("guesses"),
                                 .pool_from_text = given.has("pool-from-text")};
  return std::make_unique<SourcePlan>(std::make_unique<LookaheadSource>(
      options, inputs.request.prompt, inputs.request.stop_tokens));
}

}  // namespace

LookaheadSource::LookaheadSource(const LookaheadOptions& options, std::span<const TokenId> prompt,
                                 std::span<const TokenId> stop_tokens)
    : options_(options), window_(options.window, prompt, stop_tokens), pool_(options.guesses) {}

DraftTree LookaheadSource::draft(std::span<const TokenId> context, int limit) {
  if (options_.pool_from_text) learn(context);
  DraftTree tree;
  last_ = context.back();
  in_pass_ = window_.size() > 0 && window_.size() <= limit;
  // The window comes first, so that cutting the tree at stop tokens never moves its nodes.
  if (in_pass_) window_.add_to(tree);
  add_phrases(tree, -1, pool_.after(last_), options_.guesses, DraftOrigin::kRecycled, limit);
  return tree;
}

void LookaheadSource::observe(const VerifiedDraft& pass) {
  if (std::exchange(in_pass_, false)) window_.advance(last_, pass.predictions, pool_);
}

void LookaheadSource::learn(std::span<const TokenId> context) {
  const auto n = static_cast<std::size_t>(options_.window.n);
  for (; learned_ + n <= context.size(); ++learned_)
    pool_.add(context[learned_], context.subspan(learned_ + 1, n - 1));
}

const DecoderDefinition& lookahead_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "lookahead",
      .summary = "Lookahead decoding: n-grams of the target's own parallel guesses",
      .options = {DecoderOption::integer("window", 15, 2, 128, "W: places ahead in each pass"),
                  DecoderOption::integer("n", 5, 3, 16, "N: tokens of an n-gram"),
                  DecoderOption::integer("guesses", 15, 1, 128,
                                         "G: n-grams kept per token and verified"),
                  DecoderOption::integer("seed", 0, 0, 1'000'000'000,
                                         "random seed for the window's first tokens"),
                  DecoderOption::toggle("pool-from-text",
                                        "guess n-grams of prompt and output, too")},
      .make_plan = make_plan,
  };
  return kDefinition;
}

}  // namespace redraft
