#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding/kernels/weight_format.h"

namespace redraft::kernels {

// out[r * 16 + j] = dot(row r of x, output j of the tile) in single precision, for `rows` <= 8 rows
// of k floats that are ldx apart. Every (row, output) takes the same operations in the same order,
// whatever `rows` is. Reads nothing past a row's k floats.
using FloatTileKernel = void (*)(const std::uint8_t* tile, const float* x, std::size_t ldx,
                                 int rows, int k, float* out);

// One file for each instruction set. Null if the format is not a float format.
FloatTileKernel portable_float_tile_kernel(WeightFormat format);
FloatTileKernel avx2_float_tile_kernel(WeightFormat format);
FloatTileKernel avx512_float_tile_kernel(WeightFormat format);
FloatTileKernel neon_float_tile_kernel(WeightFormat format);

}  // namespace redraft::kernels
