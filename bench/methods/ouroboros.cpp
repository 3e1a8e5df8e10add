// How a rejected draft becomes phrases
//
// The draft was "a b c d", extended by a phrase "x y" after d. The target accepted "a" and wrote
// "B" in place of "b". It also predicted a token after each of the other tokens. Those predictions
// do not follow "B", but they are often right one position earlier or later:
//
//   row       a    b    c    d    x    y
//   predicts  B    C    D    X    Y    Z
//
// So each of "B", "C", "D", "X" gets the n - 1 tokens after it in that line as a phrase: with n =
// 4, "B": "C D X", "C": "D X Y" and "D": "X Y Z". If several phrases extended the draft, each of
// them ends the line once; if there was none, only phrases that are long enough without them count.

#include "bench/methods/ouroboros.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "decoding/acceptance.h"

namespace redraft {
namespace {

// The target's predictions after the nodes from `chain` on, from there to each leaf.
std::vector<std::vector<TokenId>> predicted_endings(const VerifiedDraft& pass, int chain) {
  const auto parents = pass.draft.parents();
  std::vector<std::vector<TokenId>> endings;
  for (int leaf = chain; leaf < pass.draft.size(); ++leaf) {
    if (std::ranges::find(parents.subspan(static_cast<std::size_t>(leaf)), leaf) !=
        parents.subspan(static_cast<std::size_t>(leaf)).end())
      continue;
    std::vector<TokenId>& ending = endings.emplace_back();
    for (int node = leaf; node >= chain; node = parents[static_cast<std::size_t>(node)])
      ending.push_back(pass.predictions.argmax[static_cast<std::size_t>(node) + 1]);
    std::ranges::reverse(ending);
  }
  if (endings.empty()) endings.emplace_back();
  return endings;
}

// See the comment at the top of this file.
void learn_phrases(const VerifiedDraft& pass, int chain, std::size_t length, PhrasePool& pool) {
  const auto predicted =
      std::span(pass.predictions.argmax).first(static_cast<std::size_t>(chain) + 1);
  const auto differ =
      std::ranges::mismatch(pass.draft.tokens().first(predicted.size() - 1), predicted);
  if (differ.in1 == pass.draft.tokens().begin() + chain) return;  // the whole draft was accepted
  const std::vector<TokenId> refined(differ.in2, predicted.end());
  for (const std::vector<TokenId>& ending : predicted_endings(pass, chain)) {
    std::vector<TokenId> line = refined;
    line.insert(line.end(), ending.begin(), ending.end());
    for (std::size_t i = 0; i < refined.size() && i + length < line.size(); ++i)
      pool.add(line[i], std::span(line).subspan(i + 1, length));
  }
}

OuroborosOptions options_from(const DecoderOptions& options) {
  return {.window = {.width = options.integer("window"),
                     .n = options.integer("n"),
                     .seed = options.integer("seed")},
          .gamma = options.integer("gamma"),
          .guesses = options.integer("guesses"),
          .suffixes = options.integer("suffixes")};
}

class OuroborosPlan : public PhasePlan {
 public:
  explicit OuroborosPlan(const PlanInputs& inputs)
      : fresh_(options_from(inputs.options)),
        source_(options_from(inputs.options), inputs.draft, inputs.request.prompt,
                inputs.request.stop_tokens, inputs.stop, state_from(inputs).pool) {}

  Phase next(std::span<const TokenId>) override { return {.source = &source_}; }

 private:
  OuroborosState& state_from(const PlanInputs& inputs) {
    if (inputs.options.has("fresh-pool")) return fresh_;
    return inputs.memory.state<OuroborosState>(inputs.name.text, options_from(inputs.options));
  }

  OuroborosState fresh_;
  OuroborosSource source_;
};

}  // namespace

OuroborosSource::OuroborosSource(const OuroborosOptions& options, ModelSlot draft,
                                 std::span<const TokenId> prompt,
                                 std::span<const TokenId> stop_tokens, std::stop_token stop,
                                 PhrasePool& pool)
    : options_(options),
      slot_(draft),
      stop_tokens_(stop_tokens.begin(), stop_tokens.end()),
      stop_(stop),
      reader_(draft, std::move(stop)),
      window_(options.window, prompt, stop_tokens),
      pool_(pool) {}

DraftTree OuroborosSource::draft(std::span<const TokenId> context, int limit) {
  const std::vector<TokenId> tokens = propose(context, std::min(options_.gamma, limit));
  proposed_ = static_cast<int>(tokens.size());
  DraftTree tree = DraftTree::chain(tokens, DraftOrigin::kModel);
  if (!tokens.empty() && !is_stop(tokens.back())) {
    add_phrases(tree, proposed_ - 1, pool_.after(tokens.back()), options_.suffixes,
                DraftOrigin::kRecycled, limit);
  }
  return tree;
}

void OuroborosSource::observe(const VerifiedDraft& pass) {
  // The loop may have cut off a stop token and what follows it.
  const int chain = std::min(std::exchange(proposed_, 0), pass.draft.size());
  learn_phrases(pass, chain, static_cast<std::size_t>(options_.window.n) - 1, pool_);
}

// Proposes nothing after a stop token.
std::vector<TokenId> OuroborosSource::propose(std::span<const TokenId> context, int most) {
  const auto capacity = static_cast<std::size_t>(slot_.cache->capacity());
  if (most <= 0 || context.size() > capacity || !reader_.catch_up(context)) return {};
  std::vector<TokenId> text(context.begin(), context.end());
  const std::size_t end = context.size() + static_cast<std::size_t>(most);
  while (text.size() < end && text.size() <= capacity) {
    if (stop_.stop_requested()) return {};
    for (const TokenId token : run_draft_model(text)) {
      if (text.size() < end) text.push_back(token);
      if (is_stop(text.back())) return {text.begin() + std::ssize(context), text.end()};
    }
  }
  return {text.begin() + std::ssize(context), text.end()};
}

// One pass of Lookahead decoding: at least one token.
std::vector<TokenId> OuroborosSource::run_draft_model(std::span<const TokenId> text) {
  KvCache& cache = *slot_.cache;
  const int room = cache.capacity() - static_cast<int>(text.size());
  DraftTree tree;
  const bool with_window = window_.size() > 0 && window_.size() <= room;
  if (with_window) window_.add_to(tree);
  add_phrases(tree, -1, pool_.after(text.back()), options_.guesses, DraftOrigin::kRecycled, room);
  Predictions predictions;
  const Acceptance accepted = slot_.model->verify(
      text.subspan(static_cast<std::size_t>(cache.length())), tree, cache, {}, predictions);
  if (with_window) window_.advance(text.back(), predictions, pool_);
  return accepted.tokens;
}

bool OuroborosSource::is_stop(TokenId token) const {
  return std::ranges::find(stop_tokens_, token) != stop_tokens_.end();
}

const DecoderDefinition& ouroboros_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "ouroboros",
      .summary = "Ouroboros: a draft model and phrases from earlier passes",
      .options = {DecoderOption::integer("gamma", 12, 1, 64, "tokens the draft model proposes"),
                  DecoderOption::integer(
                      "window", 20, 0, 128,
                      "positions ahead in each pass of the draft model; 0: none"),
                  DecoderOption::integer("n", 7, 3, 16, "tokens of a phrase and the one before it"),
                  DecoderOption::integer("guesses", 20, 1, 128,
                                         "phrases per token for the draft model to verify"),
                  DecoderOption::integer("suffixes", 3, 0, 64, "phrases that extend a draft"),
                  DecoderOption::integer("seed", 0, 0, 1'000'000'000,
                                         "random seed for the window's first tokens"),
                  DecoderOption::toggle("fresh-pool", "use no phrases from earlier requests")},
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        return std::make_unique<OuroborosPlan>(inputs);
      },
      .needs_draft_model = [](const DecoderOptions&) { return true; },
  };
  return kDefinition;
}

}  // namespace redraft
