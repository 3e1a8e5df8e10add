#pragma once

#include <string>

#include "cli/common/command.h"
#include "tuning/head/head_training.h"
#include "tuning/trainable_model.h"
#include "tuning/training_plan.h"

namespace redraft::cli {

struct TuneHeadOptions {
  std::string model = "qwen2.5-coder-1.5b";
  std::string recorded;
  std::string held_out;  // a folder of rows; empty: held_share of `recorded`
  double held_share = 0.05;
  std::string out;
  std::string evaluate;  // a head's folder; empty: one is trained
  int width = 4096;
  int vocabulary = 16384;
  TrainingPrecision precision = best_precision();
  // Its examples and steps follow from the rows.
  TrainingPlan plan{.batch = 512, .warmup = 50, .learning_rate = 1e-3};
  int epochs = 1;
  int steps = 0;       // 0: as many as the epochs have
  double minutes = 0;  // 0: as many as it takes
  TrainingOptions training = {.evaluate_every = 100};
  int threads = 0;  // 0: one per core
  bool restart = false;
  Format format = Format::kText;
};

void add_tune_head_options(CommandLine command, TuneHeadOptions& options);

}  // namespace redraft::cli
