#pragma once

#include <cstdint>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/linear.h"

namespace redraft::kernels {

// The maximum number of rows per call of the 256-bit kernels, which open codes once for all of
// them. Other kernels take one group.
inline constexpr int kMaxTileRows = 4 * kRowGroup;

// out[r * 16 + j] = dot(row r, output j of the tile) for rows of activations that begin with a
// group, at most a group or kMaxTileRows of them. Every (row, output) takes the same operations in
// the same order, whatever `rows` is.
using TileKernel = void (*)(const std::uint8_t* tile, const ActivationSuperblock* x, int rows,
                            int blocks, float* out);

// Quantises columns [begin, end) of one row of k floats to superblocks. `out` is the row's first
// superblock; each next one is `stride` further. The columns are whole superblocks; past k there
// are zeros.
using QuantizeKernel = void (*)(const float* x, int k, int begin, int end,
                                ActivationSuperblock* out, int stride);

// Whether the processor has AVX-VNNI in addition to AVX2, and its kernels give the bits of AVX2's
// here. Tested once, in a child process.
bool avx_vnni_available();

// One file for each instruction set. Null if the format is not quantised; see float_tile_kernel.h.
TileKernel portable_tile_kernel(WeightFormat format);
TileKernel avx2_tile_kernel(WeightFormat format);
TileKernel avx_vnni_tile_kernel(WeightFormat format);  // of rows quantised for AVX2
TileKernel avx512_tile_kernel(WeightFormat format);

void portable_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                       int stride);
void avx2_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                   int stride);
void avx512_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                     int stride);
void neon_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                   int stride);

}  // namespace redraft::kernels
