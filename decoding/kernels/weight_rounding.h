#pragma once

#include "decoding/kernels/weight_format.h"

namespace redraft {

// In which format weights are held that were changed after they had been rounded to `stored`: Q8_0
// where a file has blocks of fewer than eight bits, F16 where it has Q8_0, F16 or BF16, else F32.
// Never `stored` itself unless that is a float format with room: rounded to the steps that it comes
// from, a weight would fall back to where it was, and a small change would be lost
// (docs/lab/tuning.md#adapters has the measurement).
WeightFormat format_of_changed(WeightFormat stored);

// Rounds one row to F32, F16 or Q8_0, to the nearest, or to Q4_0, each block by the scale that
// loses the least of a few; dequantize_row() reads it. `columns` is a multiple of the block size,
// `out` has weight_bytes(format, 1, columns). A weight that is not finite, or too large for the
// format, gives what are_finite() finds.
void quantize_row(WeightFormat format, const float* weights, int columns, void* out);

}  // namespace redraft
