#include "decoding/drafting/methods/head.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "decoding/drafting/methods/decoders.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {

DraftTree HeadSource::draft(std::span<const TokenId> context, int limit) {
  const bool asks = reader_.arrive(context);
  std::vector<TokenId> chain;
  if (asks && limit > 0) {
    for (const HeadPlace& place : reader_.ask(context.back(), std::min(tokens_, limit)))
      chain.push_back(place.first.token);
  }
  return DraftTree::chain(chain, DraftOrigin::kHead);
}

const DecoderDefinition& head_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "head",
      .summary = "the chain of a draft head, or of the model's own MTP block",
      .options = {DecoderOption::integer("tokens", 3, 1, 8,
                                         "tokens of a draft, as far as the head goes")},
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        return std::make_unique<SourcePlan>(
            std::make_unique<HeadSource>(inputs.target, inputs.options.integer("tokens")));
      },
      .fits = [](const DecoderOptions&, LanguageModel& target,
                 const DecoderMemory&) -> Result<void> {
        if (target.head_drafting() != nullptr) return {};
        return Error("the target has no draft head: give one with --head, on the CPU");
      },
  };
  return kDefinition;
}

}  // namespace redraft
