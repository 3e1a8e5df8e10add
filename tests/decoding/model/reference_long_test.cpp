#include "tests/decoding/model/reference_check.h"

namespace redraft {
namespace {

TEST(ReferenceLong, TargetModelAgrees) {
  reference::check("qwen2.5-coder-1.5b", kernels::best_isa(), reference::kWholeTexts);
}

}  // namespace
}  // namespace redraft
