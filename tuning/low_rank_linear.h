#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "tuning/frozen_weights.h"
#include "tuning/lora_layout.h"

namespace redraft {

// The trained part of a linear layer.
struct LowRank {
  at::Tensor a;  // float [rank, in], requires a gradient
  at::Tensor b;  // float [out, rank], requires a gradient
  float scale = 0;
};

// Which numbers of a layer's input its adapter does not see. The same seed and stream drop the same
// numbers again; the second forward pass of gradient checkpointing depends on that.
struct Dropout {
  double share = 0;  // 0: none
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // one for each adapted matrix
};

// x [rows, in] -> float [rows, out], differentiable with respect to x, a and b. `low_rank` may be
// null.
at::Tensor linear(const FrozenLinear& frozen, const LowRank* low_rank, const Dropout& dropout,
                  const at::Tensor& x);

}  // namespace redraft
