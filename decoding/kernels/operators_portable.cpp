// The transformer operators in plain C++.
#include "decoding/kernels/attention_template.h"
#include "decoding/kernels/plain_lanes.h"

namespace redraft::kernels {

const OperatorKernels& portable_operators() {
  static constexpr OperatorKernels kOperators = operators_of<PlainLanes<false>>();
  return kOperators;
}

}  // namespace redraft::kernels
