#include "lab/tune/tune_head_options.h"

#include "cli/common/misuse_reason.h"
#include "lab/tune/optimiser_options.h"

namespace redraft::cli {
namespace {

// Width has to be a multiple of 32: the engine holds a head's rows in such blocks.
WordCheck whole_blocks() {
  return {[](std::string& text) {
            const int number = std::atoi(text.c_str());
            return number >= 32 && number <= 1 << 20 && number % 32 == 0
                       ? std::string()
                       : std::string("expected a multiple of 32");
          },
          "MULTIPLE OF 32"};
}

void add_rows_options(CommandLine command, TuneHeadOptions& options) {
  command.add_option("--model", options.model, "The target that was recorded").show_default();
  command
      .add_option("--recorded", options.recorded,
                  "Rows of it, as `redraft tune record` writes them")
      .required();
  command.add_option("--held-out", options.held_out,
                     "Others, which are measured on the way (default: --held-share)");
  command
      .add_option("--held-share", options.held_share,
                  "The share of the files and examples that is not learnt but measured")
      .check(in_range(0.0, 1.0))
      .show_default();
  command.add_option("--out", options.out, "Folder for head, checkpoint and losses");
  command.add_option("--evaluate", options.evaluate, "Measure the head in this folder instead");
  command.add_flag("--restart", options.restart, "Begin anew although --out has a run");
  command.add_option("--threads", options.threads, "Compute threads (default: one per core)")
      .check(in_range(1, 1024));
  command.add_option("--format", options.format, "What is printed at the end")
      .transform(text_or_json());
}

void add_training_options(CommandLine command, TuneHeadOptions& options) {
  const char* const group = "Training";
  add_optimiser_options(command, options.plan, options.training,
                        {.batch = "Rows a step",
                         .evaluate_every = "Steps between two looks at the held-out rows",
                         .seed = "Of the rows' order and the head's beginning"});
  command.add_option("--width", options.width, "Of the head's feed-forward layer")
      .check(whole_blocks())
      .show_default()
      .group(group);
  command
      .add_option("--vocabulary", options.vocabulary,
                  "How many tokens it can propose: the most frequent ones")
      .check(in_range(1, 1 << 24))
      .show_default()
      .group(group);
  const Option epochs = command.add_option("--epochs", options.epochs, "How often each row is seen")
                            .check(in_range(1, 10000))
                            .show_default()
                            .group(group);
  const Option steps = command.add_option("--steps", options.steps, "Steps in all")
                           .check(in_range(1, 1 << 24))
                           .excludes(epochs)
                           .group(group);
  command
      .add_option("--minutes", options.minutes,
                  "As many steps as there is time for, by the first ones")
      .check(in_range(0.01, 1e6))
      .excludes(epochs)
      .excludes(steps)
      .group(group);
  command
      .add_option("--precision", options.precision,
                  "How matrices are multiplied: auto (bf16 where the processor does), f32 or bf16")
      .transform(one_of<TrainingPrecision>({{"auto", best_precision()},
                                            {"f32", TrainingPrecision::kFloat32},
                                            {"bf16", TrainingPrecision::kBFloat16}}))
      .group(group);
}

}  // namespace

void add_tune_head_options(CommandLine command, TuneHeadOptions& options) {
  add_rows_options(command, options);
  add_training_options(command, options);
}

}  // namespace redraft::cli
