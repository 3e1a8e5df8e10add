#pragma once

#include <span>
#include <string>

#include "tuning/training_plan.h"
#include "tuning/training_state.h"

namespace redraft {

// Where a head's training measured held-out rows: after how many rows, with the loss, the
// acceptance length and the accuracy of each place, as comma-separated values under a line of
// names. `steps` are those of HeadTraining.
std::string acceptance_table(std::span<const StepRecord> steps, const TrainingPlan& plan);
// The acceptance lengths by the rows that were learnt, as an SVG. `title` is shown above, as text.
std::string acceptance_curve(std::span<const StepRecord> steps, const TrainingPlan& plan,
                             const std::string& title);

}  // namespace redraft
