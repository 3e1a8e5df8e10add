#pragma once

#include <bit>
#include <cstdint>

#include "cuda/device.h"

namespace redraft::cuda {

// Larger if the value is larger or, for equal values, if the index is lower; NaN is smallest, -0
// equals 0. Never 0 for an index below 2^32 - 1.
__device__ inline std::uint64_t key_of(float value, int index) {
  std::uint32_t order = 0;
  if (value == value) {
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
    order = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
  }
  return static_cast<std::uint64_t>(order) << 32 |
         (0xffffffffu - static_cast<std::uint32_t>(index));
}
__device__ inline std::int32_t index_of(std::uint64_t key) {
  return static_cast<std::int32_t>(0xffffffffu - static_cast<std::uint32_t>(key));
}

}  // namespace redraft::cuda
