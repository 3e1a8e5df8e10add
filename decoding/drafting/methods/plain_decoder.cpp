#include "decoding/drafting/methods/decoders.h"

namespace redraft {
namespace {

class PlainPlan : public PhasePlan {
 public:
  Phase next(std::span<const TokenId>) override { return {.name = "plain"}; }
};

}  // namespace

const DecoderDefinition& plain_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "ar",
      .summary = "plain greedy decoding, one token a pass",
      .make_plan = [](const PlanInputs&) -> std::unique_ptr<PhasePlan> {
        return std::make_unique<PlainPlan>();
      },
  };
  return kDefinition;
}

}  // namespace redraft
