// The program `redraft`.
#include <string>

#include "cli/laboratory.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace redraft::cli;
  // The laboratory alone knows the options of its commands.
  if (argc > 1 && is_lab_command(argv[1]))
    return become_laboratory(argv, "`redraft " + std::string(argv[1]) + "`");
  return run_program(
      argc, argv,
      {.add_commands = [](CommandLine app, Command&) { add_lab_commands(app); },
       .before = [&](const CommandLine& app) { return hand_over_decoder(app, argv); }});
}
