#include "decoding/drafting/redraft/redraft_decoder.h"

#include "decoding/drafting/methods/source_plan.h"
#include "decoding/drafting/redraft/head_proposer.h"
#include "decoding/drafting/redraft/model_proposer.h"
#include "decoding/drafting/redraft/redraft_source.h"
#include "decoding/model_powers.h"

namespace redraft {

const DecoderDefinition& redraft_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "redraft",
      .summary = "the default: every source in one tree, priced by what rows cost here",
      .options = {DecoderOption::integer("max-nodes", std::nullopt, 1, 4096,
                                         "maximum number of nodes per pass, whatever they cost"),
                  DecoderOption::toggle("chain", "one guess for each position, no tree"),
                  DecoderOption::toggle("model", "run the draft model where that pays"),
                  DecoderOption::toggle("no-head",
                                        "do not use the target's draft head or MTP block")},
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        auto& memory = inputs.memory.state<RedraftMemory>(inputs.name.text, inputs.cost);
        memory.pace.follow(inputs.cost);
        Proposers proposers;
        if (inputs.target.model->head_drafting() != nullptr && !inputs.options.has("no-head")) {
          proposers.head = std::make_unique<HeadProposer>(inputs.target, memory.pace, memory.head);
        }
        if (inputs.options.has("model")) {
          proposers.model = std::make_unique<ModelProposer>(
              inputs.draft, inputs.request.stop_tokens, inputs.stop, memory.pace);
        }
        return std::make_unique<SourcePlan>(std::make_unique<RedraftSource>(
            inputs.request,
            RedraftOptions{
                .max_nodes = inputs.options.maybe_integer("max-nodes"),
                .shape = inputs.options.has("chain") ? DraftShape::kChain : DraftShape::kTree},
            memory, inputs.memory.tokenizer(), std::move(proposers)));
      },
      .needs_draft_model = [](const DecoderOptions& options) { return options.has("model"); },
      .needs_cost = true,
      .uses_datastores = true,
  };
  return kDefinition;
}

}  // namespace redraft
