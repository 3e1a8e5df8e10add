// Unquantised weights in plain C++: the definition of the float kernels, and the implementation for
// other processors. A sum runs along k, one product after the other; the 16 outputs of a tile are
// computed in parallel, so that the compiler can vectorise them. This file is compiled without
// contraction of a*b+c.
#include <cstring>

#include "decoding/kernels/float_tile_kernel.h"
#include "decoding/kernels/half.h"
#include "decoding/kernels/packed_layout.h"

namespace redraft::kernels {
namespace {

template <WeightFormat kFormat>
float read_float(const std::uint8_t* p) {
  if constexpr (kFormat == WeightFormat::kF32) {
    float value;
    std::memcpy(&value, p, sizeof(value));
    return value;
  } else {
    std::uint16_t bits;
    std::memcpy(&bits, p, sizeof(bits));
    return kFormat == WeightFormat::kF16 ? half_to_float(bits) : bfloat16_to_float(bits);
  }
}

template <WeightFormat kFormat>
void float_tile(const std::uint8_t* tile, const float* x, std::size_t ldx, int rows, int k,
                float* out) {
  constexpr int kElement = kFormat == WeightFormat::kF32 ? 4 : 2;
  for (int i = 0; i < rows * kTileOutputs; ++i) out[i] = 0;
  for (int i = 0; i < k; ++i) {
    float weights[kTileOutputs];
    for (int j = 0; j < kTileOutputs; ++j, tile += kElement) weights[j] = read_float<kFormat>(tile);
    for (int row = 0; row < rows; ++row) {
      const float value = x[static_cast<std::size_t>(row) * ldx + i];
      float* sums = out + row * kTileOutputs;
      for (int j = 0; j < kTileOutputs; ++j) sums[j] += weights[j] * value;
    }
  }
}

}  // namespace

FloatTileKernel portable_float_tile_kernel(WeightFormat format) {
  if (format == WeightFormat::kF32) return float_tile<WeightFormat::kF32>;
  if (format == WeightFormat::kF16) return float_tile<WeightFormat::kF16>;
  if (format == WeightFormat::kBF16) return float_tile<WeightFormat::kBF16>;
  return nullptr;
}

}  // namespace redraft::kernels
