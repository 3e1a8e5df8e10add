#pragma once

#include <string>

#include "cli/common/command.h"
#include "tuning/training.h"
#include "tuning/training_plan.h"

namespace redraft::cli {

// The help of those options that mean something of its own in each kind of training.
struct OptimiserHelp {
  std::string batch, evaluate_every, seed;
};

// What every kind of training lets the user choose of the optimiser's loop. `plan` and `training`
// outlive the parsing.
void add_optimiser_options(CommandLine command, TrainingPlan& plan, TrainingOptions& training,
                           const OptimiserHelp& help);

}  // namespace redraft::cli
