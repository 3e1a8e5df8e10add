#pragma once

#include "decoding/kernels/weight_format.h"

namespace redraft {

// The format that holds changed weights which had been rounded to `stored` before: Q8_0 if a file
// has blocks of fewer than eight bits, F16 if it has Q8_0, F16 or BF16, otherwise F32. Never
// `stored` itself unless that is a float format with room: rounded to the steps that it comes from,
// a weight would fall back to its old value, and a small change would be lost
// (docs/lab/tuning.md#adapters has the measurement).
WeightFormat format_of_changed(WeightFormat stored);

// Rounds one row to F32, F16 or Q8_0, to the nearest value, or to Q4_0, each block with the best of
// a few scales. dequantize_row() reads it. `columns` is a multiple of the block size, `out` has
// weight_bytes(format, 1, columns). are_finite() reports rows with weights that are not finite or
// too large for the format.
void quantize_row(WeightFormat format, const float* weights, int columns, void* out);

}  // namespace redraft
