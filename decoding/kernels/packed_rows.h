#pragma once

#include <cstdint>

#include "decoding/kernels/weight_format.h"

namespace redraft::kernels {

// Reads one output's k weights from a packed matrix as floats, with the bits that dequantize_row()
// gives for the row of the file. `tiles` is the whole matrix (see packed_layout.h).
void dequantize_packed_row(WeightFormat format, int k, const std::uint8_t* tiles, int row,
                           float* out);

}  // namespace redraft::kernels
