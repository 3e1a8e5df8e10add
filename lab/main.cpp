// The program `redraft-lab`: all that `redraft` is, the decoders of the papers, and the commands
// that measure and train. `redraft` starts it where a command line asks for one of these.
#include "bench/methods/lab_decoders.h"
#include "cli/program.h"
#include "lab/bench/bench_command.h"
#include "lab/score.h"
#include "lab/tune/tune.h"

int main(int argc, char** argv) {
  using namespace redraft::cli;
  redraft::register_lab_decoders();
  return run_program(argc, argv, {.add_commands = [](CommandLine app, Command& chosen) {
                       add_score(app, chosen);
                       add_bench(app, chosen);
                       add_tune(app, chosen);
                     }});
}
