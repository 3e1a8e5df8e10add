#include "tests/decoding/model/reference_check.h"

namespace redraft {
namespace {

TEST(Reference, SmallModelAgrees) {
  reference::check("qwen2.5-coder-0.5b", kernels::best_isa(), reference::kWholeTexts);
}

// Another architecture, tokenizer and weight format. With so few parameters, activations of 8 bits
// change close choices more often; the same weights as F32 agree at 99.99 % of the positions.
TEST(Reference, TinyLlamaAgrees) {
  reference::check("smollm2-135m", kernels::best_isa(), reference::kWholeTexts, 0.96);
}

// The slower instruction sets only read the beginnings.
TEST(Reference, EveryInstructionSetAgrees) {
  for (const kernels::Isa isa : kernels::available_isas()) {
    SCOPED_TRACE(kernels::to_string(isa));
    reference::check("qwen2.5-coder-0.5b", isa, 32);
  }
}

}  // namespace
}  // namespace redraft
