#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
TileKernel avx2_tile_kernel(WeightFormat f) { return portable_tile_kernel(f); }
void avx2_quantize(const float* x, int k, ActivationBlock* out, int stride) {
  portable_quantize(x, k, out, stride);
}
}  // namespace redraft::kernels
