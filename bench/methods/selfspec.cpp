#include "bench/methods/selfspec.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {
namespace {

// Restores the length of the cache on destruction, whatever happens in between.
class CacheLength {
 public:
  explicit CacheLength(KvCache& cache) : cache_(cache), length_(cache.length()) {
    cache.remember();
  }
  ~CacheLength() { cache_.truncate(length_); }
  CacheLength(const CacheLength&) = delete;
  CacheLength& operator=(const CacheLength&) = delete;

 private:
  KvCache& cache_;
  int length_;
};

Result<SkippedLayers> skipped_for(const DecoderOptions& options, LanguageModel& target,
                                  const DecoderMemory& memory) {
  LayerSkipping* const skipping = target.layer_skipping();
  if (skipping == nullptr)
    return Error("the target cannot skip layers on this device: use --device cpu");
  const std::string text = options.text("skip").value_or(memory.skipped_layers());
  if (text.empty()) {
    return Error(
        "the layers to skip are unknown for this model: find them once with `redraft bench "
        "skips`, or name them, as in skip=a3-5+m6");
  }
  return parse_skipped_layers(text, skipping->skippable_layers());
}

SelfSpecOptions options_from(const DecoderOptions& options) {
  return {.tokens = options.integer("tokens"),
          .threshold = options.real("threshold"),
          .adapts = !options.has("fixed"),
          .alpha = options.real("alpha"),
          .epsilon = options.real("epsilon"),
          .beta1 = options.real("beta1"),
          .beta2 = options.real("beta2")};
}

std::unique_ptr<PhasePlan> make_plan(const PlanInputs& inputs) {
  // Valid: fits() has parsed it.
  Result<SkippedLayers> skipped = skipped_for(inputs.options, *inputs.target.model, inputs.memory);
  return std::make_unique<SourcePlan>(std::make_unique<SelfSpecSource>(
      options_from(inputs.options), inputs.target, *std::move(skipped), inputs.request.stop_tokens,
      inputs.stop));
}

}  // namespace

void DraftExit::learn(int drafted, int accepted) {
  if (!options_.adapts) return;
  share_ = options_.beta1 * share_ + (1 - options_.beta1) * accepted / drafted;
  double aim = threshold_;
  if (share_ < options_.alpha) {
    aim += options_.epsilon;
  } else if (drafted < options_.tokens) {
    aim -= options_.epsilon;
  }
  threshold_ = options_.beta2 * threshold_ + (1 - options_.beta2) * aim;
}

SelfSpecSource::SelfSpecSource(const SelfSpecOptions& options, ModelSlot target,
                               SkippedLayers skipped, std::span<const TokenId> stop_tokens,
                               std::stop_token stop)
    : options_(options),
      target_(target),
      skipped_(std::move(skipped)),
      stop_tokens_(stop_tokens.begin(), stop_tokens.end()),
      stop_(std::move(stop)),
      exit_(options) {}

DraftTree SelfSpecSource::draft(std::span<const TokenId> context, int limit) {
  proposed_.clear();
  // The target writes the first token, in one pass with the end of the prompt.
  const int unread = static_cast<int>(context.size()) - target_.cache->length();
  if (unread == 1) {
    const int room = target_.cache->capacity() - target_.cache->length();
    proposed_ = propose(context.back(), std::min({options_.tokens, limit, room}));
  }
  return DraftTree::chain(proposed_, DraftOrigin::kModel);
}

// Stops after a stop token or an unlikely token.
std::vector<TokenId> SelfSpecSource::propose(TokenId last, int most) {
  const CacheLength as_before(*target_.cache);
  std::vector<TokenId> tokens;
  while (static_cast<int>(tokens.size()) < most) {
    if (stop_.stop_requested()) return {};
    const DraftedToken next =
        target_.model->layer_skipping()->draft_step({&last, 1}, skipped_, *target_.cache);
    tokens.push_back(next.token);
    last = next.token;
    if (next.probability < exit_.threshold() || std::ranges::count(stop_tokens_, last) > 0) break;
  }
  return tokens;
}

void SelfSpecSource::observe(const VerifiedDraft& pass) {
  if (proposed_.empty()) return;
  const auto differ = std::ranges::mismatch(proposed_, pass.predictions.argmax);
  exit_.learn(static_cast<int>(proposed_.size()), static_cast<int>(differ.in1 - proposed_.begin()));
}

const DecoderDefinition& selfspec_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "selfspec",
      .summary = "self-speculative decoding: the target drafts with some sublayers skipped",
      .options = {DecoderOption::text("skip", "a1+m1",
                                      "the skipped sublayers: a attention, m MLP, layers from 0"),
                  DecoderOption::integer("tokens", 8, 1, 64, "K: tokens of a draft"),
                  DecoderOption::real("threshold", 0.8, 0, 1,
                                      "a draft ends with a token less likely than this"),
                  DecoderOption::toggle("fixed", "keep the threshold fixed"),
                  DecoderOption::real("alpha", 0.9, 0, 1, "the accepted share it aims for"),
                  DecoderOption::real("epsilon", 0.01, 0, 1, "the threshold's step"),
                  DecoderOption::real("beta1", 0.5, 0, 1, "weight of the previous share"),
                  DecoderOption::real("beta2", 0.9, 0, 1, "weight of the previous threshold")},
      .make_plan = make_plan,
      .check = [](const DecoderOptions& options) -> Result<void> {
        const std::optional<std::string> text = options.text("skip");
        if (!text) return {};
        const Result<SkippedLayers> skipped =
            parse_skipped_layers(*text, SkippedLayers::kMaxLayers);
        return skipped ? Result<void>() : skipped.error().in("skip");
      },
      .fits = [](const DecoderOptions& options, LanguageModel& target,
                 const DecoderMemory& memory) -> Result<void> {
        const Result<SkippedLayers> skipped = skipped_for(options, target, memory);
        return skipped ? Result<void>() : skipped.error();
      },
  };
  return kDefinition;
}

}  // namespace redraft
