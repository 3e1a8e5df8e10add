#pragma once

#include <span>
#include <string>

#include "tuning/training_plan.h"
#include "tuning/training_state.h"

namespace redraft {

// The measurements on held-out rows during a head's training: the number of rows learnt, the loss,
// the acceptance length and the accuracy of each place, as comma-separated values with a header
// line. `steps` are those of HeadTraining.
std::string acceptance_table(std::span<const StepRecord> steps, const TrainingPlan& plan);
// The acceptance lengths by the number of rows learnt, as an SVG. `title` is shown above, as text.
std::string acceptance_curve(std::span<const StepRecord> steps, const TrainingPlan& plan,
                             const std::string& title);

}  // namespace redraft
