#pragma once

#include <cstdint>
#include <span>

#include "decoding/kernels/weight_format.h"

namespace redraft {

// Whether every scale and minimum in these whole blocks is finite; for float formats, every weight;
// for MXFP4, whether every exponent leaves room for the largest code.
// A value that is not finite would turn everything it touches into NaN. Reads at memory speed.
bool are_finite(WeightFormat format, std::span<const std::uint8_t> blocks);

}  // namespace redraft
