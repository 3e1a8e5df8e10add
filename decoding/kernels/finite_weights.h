#pragma once

#include <cstdint>
#include <span>

#include "decoding/kernels/weight_format.h"

namespace redraft {

// Whether every scale and minimum of these whole blocks is a finite number; of float formats, every
// weight. One that is not would make whatever it touches NaN. Reads at memory speed.
bool are_finite(WeightFormat format, std::span<const std::uint8_t> blocks);

}  // namespace redraft
