#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>

#include "decoding/model/recurrent_block.h"

namespace redraft {

// Recurrent layers of LFM2: y = (C * convolution(B * x)) W, where B, C and x are projections of the
// layer's input. The state of a layer is the last few rows of B * x.
class ShortConvolutionBlock final : public RecurrentBlock {
 public:
  ShortConvolutionBlock(const TransformerShape& shape, const Weights& weights, kernels::Isa isa,
                        ThreadPool& pool);

  void run(int idx, RecurrentState& state, const at::Tensor& x, const at::Tensor& quantized,
           const std::function<void(PassPart)>& charge) override;

 private:
  struct Buffers {
    at::Tensor projected;  // float [rows, 3 * hidden]: B, C and x
    at::Tensor mixed;      // float [rows, hidden], B * x
    at::Tensor convolved;  // float [rows, hidden]; then times C
  };

  void reserve(int rows) override;
  void begin_rows() override;
  void replay_rest(int, RecurrentState&, std::span<const int>, const float*) const override {}

  int hidden_;
  Buffers memory_;
  Buffers now_;  // the pass's part of it
};

}  // namespace redraft
