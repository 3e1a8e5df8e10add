// Tile kernels for AVX-VNNI: dpbusd of 256 bits in the VEX form, for processors without AVX-512.
// Their activations are quantised as for AVX2, and a row's bits are the same.
//
// This file is compiled for AVX-VNNI: it must not instantiate inline functions that other files may
// share.
#include "decoding/kernels/dpbusd_dots.h"

namespace redraft::kernels {
namespace {

struct VexDpbusd {
  REDRAFT_INLINE static __m256i add(__m256i sums, __m256i codes, __m256i activations) {
    return _mm256_dpbusd_avx_epi32(sums, codes, activations);
  }
};

}  // namespace

TileKernel avx_vnni_tile_kernel(WeightFormat format) {
  return Kernels<DpbusdDots<VexDpbusd>>::of_format(format);
}

}  // namespace redraft::kernels
