#pragma once

#include <string>

#include "cli/common/command.h"
#include "tuning/training.h"
#include "tuning/training_plan.h"

namespace redraft::cli {

// The help texts of options whose meaning depends on the kind of training.
struct OptimiserHelp {
  std::string batch, evaluate_every, seed;
};

// Adds the options of the optimiser's loop that every kind of training has. `plan` and `training`
// outlive the parsing.
void add_optimiser_options(CommandLine command, TrainingPlan& plan, TrainingOptions& training,
                           const OptimiserHelp& help);

}  // namespace redraft::cli
