#pragma once

#include <span>
#include <string>

#include "tuning/training_state.h"

namespace redraft {

// An SVG of the losses by step: each step's, a smoothed curve, and the held-out ones. The same
// steps give the same file. `title` is shown above, as text.
std::string loss_curve(std::span<const StepRecord> steps, const std::string& title);

}  // namespace redraft
