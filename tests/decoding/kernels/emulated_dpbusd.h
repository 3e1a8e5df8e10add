#pragma once

#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {

TileKernel emulated_avx_vnni_tile_kernel(WeightFormat format);

}  // namespace redraft::kernels
