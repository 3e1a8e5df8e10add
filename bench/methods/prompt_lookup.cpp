#include "bench/methods/prompt_lookup.h"

#include <algorithm>

#include "bench/methods/lab_decoders.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {

PromptLookupSource::PromptLookupSource(int longest, int tokens)
    : tokens_(static_cast<std::size_t>(tokens)) {
  for (int n = 1; n <= longest; ++n) places_.emplace_back(n);
}

DraftTree PromptLookupSource::draft(std::span<const TokenId> context, int limit) {
  for (FirstPlaces& places : places_) places.absorb(context);
  for (std::size_t n = places_.size(); n > 0; --n) {
    const auto place = places_[n - 1].of_end(context);
    if (!place) continue;
    // A later occurrence has fewer tokens after it than the first, so if the first fails, all do.
    // The second condition keeps the end of the context from continuing itself.
    const std::size_t next = *place + n;
    if (next + tokens_ > context.size() || next + n >= context.size()) continue;
    const std::size_t count = std::min(tokens_, static_cast<std::size_t>(limit));
    return DraftTree::chain(context.subspan(next, count), DraftOrigin::kCopy);
  }
  return {};
}

const DecoderDefinition& prompt_lookup_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "pld",
      .summary = "prompt lookup: copies what followed the first occurrence of the last tokens",
      .options = {DecoderOption::integer("n", 3, 1, 16,
                                         "longest end of the text to search for, in tokens"),
                  DecoderOption::integer("tokens", 10, 1, 128, "tokens of a draft")},
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        return std::make_unique<SourcePlan>(std::make_unique<PromptLookupSource>(
            inputs.options.integer("n"), inputs.options.integer("tokens")));
      },
  };
  return kDefinition;
}

}  // namespace redraft
