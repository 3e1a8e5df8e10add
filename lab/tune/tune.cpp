// redraft tune: training draft models and draft heads, a file each command.
#include "lab/tune/tune.h"

namespace redraft::cli {

void add_tune(CommandLine app, Command& chosen) {
  const CommandLine tune =
      app.add_subcommand("tune", "Train a draft model or a draft head for a target");
  tune.require_subcommand();
  add_tune_data(tune, chosen);
  add_tune_run(tune, chosen);
  add_tune_eval(tune, chosen);
  add_tune_record(tune, chosen);
  add_tune_head(tune, chosen);
}

}  // namespace redraft::cli
