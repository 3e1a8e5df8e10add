// The program `redraft`.
#include <string>

#include "cli/laboratory.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  namespace cli = redraft::cli;
  // The laboratory alone knows the options of its commands.
  if (argc > 1 && cli::is_lab_command(argv[1]))
    return cli::become_laboratory(argv, "`redraft " + std::string(argv[1]) + "`");
  return cli::run_program(
      argc, argv,
      {.add_commands = [](cli::CommandLine app, cli::Command&) { cli::add_lab_commands(app); },
       .before = [&](const cli::CommandLine& app) { return cli::hand_over_decoder(app, argv); }});
}
