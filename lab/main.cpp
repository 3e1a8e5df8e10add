// The program `redraft-lab`: all that `redraft` is, the decoders of the papers, and the commands
// that measure and train. `redraft` starts it where a command line asks for one of these.
#include "bench/methods/lab_decoders.h"
#include "cli/program.h"
#include "lab/bench/bench_command.h"
#include "lab/score.h"
#include "lab/tune/tune.h"

int main(int argc, char** argv) {
  namespace cli = redraft::cli;
  redraft::register_lab_decoders();
  return cli::run_program(argc, argv,
                          {.add_commands = [](cli::CommandLine app, cli::Command& chosen) {
                            cli::add_score(app, chosen);
                            cli::add_bench(app, chosen);
                            cli::add_tune(app, chosen);
                          }});
}
