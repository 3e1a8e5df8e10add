#include "tests/decoding/model/reference_check.h"

namespace redraft {
namespace {

TEST(Reference, SmallModelAgrees) {
  reference::check("qwen2.5-coder-0.5b", kernels::best_isa(), reference::kWholeTexts);
}

// The slower instruction sets read the beginnings only.
TEST(Reference, EveryInstructionSetAgrees) {
  for (const kernels::Isa isa : kernels::available_isas()) {
    SCOPED_TRACE(kernels::to_string(isa));
    reference::check("qwen2.5-coder-0.5b", isa, 32);
  }
}

}  // namespace
}  // namespace redraft
