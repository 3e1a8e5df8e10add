#include "lab/tune/optimiser_options.h"

namespace redraft::cli {

void add_optimiser_options(CommandLine command, TrainingPlan& plan, TrainingOptions& training,
                           const OptimiserHelp& help) {
  const char* const group = "Training";
  const auto add = [&](const char* name, auto& value, const std::string& text, auto least,
                       auto most) {
    command.add_option(name, value, text).check(in_range(least, most)).show_default().group(group);
  };
  add("--learning-rate", plan.learning_rate, "Of AdamW, at its highest", 1e-9, 1.0);
  add("--warmup", plan.warmup, "Steps in which the rate rises; then it follows a cosine", 0,
      1 << 20);
  add("--batch", plan.batch, help.batch, 1, 1 << 20);
  add("--weight-decay", training.optimiser.weight_decay, "Of AdamW", 0.0, 1.0);
  add("--clip", training.max_length, "Longest gradient (0: any)", 0.0, 1e9);
  add("--evaluate-every", training.evaluate_every, help.evaluate_every, 1, 1 << 24);
  command.add_option("--seed", plan.seed, help.seed).show_default().group(group);
}

}  // namespace redraft::cli
