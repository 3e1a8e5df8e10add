#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <initializer_list>

#include "decoding/model/operators.h"
#include "decoding/model/weights.h"

namespace redraft {

// An input of several linear layers, in the form that each weight reads: float rows, or int8 blocks
// of them, which are computed once for all layers that read them.
class Activations {
 public:
  // `blocks` is scratch memory of at least the kernels' quantized_bytes().
  Activations(const at::Tensor& floats, const at::Tensor& blocks,
              std::initializer_list<const LinearWeight*> readers)
      : floats_(floats), blocks_(blocks) {
    const auto reads_blocks = [](const LinearWeight* w) {
      return !kernels::reads_floats(w->format);
    };
    if (std::any_of(readers.begin(), readers.end(), reads_blocks))
      operators::quantize(floats, blocks);
  }
  const at::Tensor& of(const LinearWeight& reader) const {
    return kernels::reads_floats(reader.format) ? floats_ : blocks_;
  }

 private:
  at::Tensor floats_, blocks_;
};

// gate = activation(gate) * up.
inline void activate(Activation activation, const at::Tensor& gate, const at::Tensor& up) {
  switch (activation) {
    case Activation::kSilu:
      return operators::silu_mul(gate, up);
    case Activation::kClampedSilu:
      return operators::clamped_silu_mul(gate, up);
    case Activation::kGelu:
      return operators::gelu_mul(gate, up);
  }
}

}  // namespace redraft
