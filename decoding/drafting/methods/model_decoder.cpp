#include "decoding/drafting/methods/decoders.h"
#include "decoding/drafting/methods/model_source.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {

const DecoderDefinition& model_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "sd",
      .summary = "speculative decoding: a draft model's greedy continuation",
      .options = {DecoderOption::integer("gamma", 3, 1, 64, "tokens the draft model proposes")},
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        return std::make_unique<SourcePlan>(
            std::make_unique<ModelSource>(inputs.draft, inputs.options.integer("gamma"),
                                          inputs.request.stop_tokens, inputs.stop));
      },
      .needs_draft_model = [](const DecoderOptions&) { return true; },
  };
  return kDefinition;
}

}  // namespace redraft
