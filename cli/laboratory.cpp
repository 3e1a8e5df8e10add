#include "cli/laboratory.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

#include "decoding/decoder_name.h"
#include "support/system/processes.h"
#include "support/system_error.h"

namespace redraft::cli {
namespace {

struct LabCommand {
  const char* name;
  const char* description;
};

constexpr LabCommand kCommands[] = {
    {"bench", "Measure this machine with a model (redraft-lab)"},
    {"tune", "Train a draft model or a draft head for a target (redraft-lab)"},
    {"score", "Perplexity of a text under the target model (redraft-lab)"},
};

// The commands that decode one text and end. A server keeps its decoders.
constexpr std::string_view kDecodes[] = {"edit", "apply", "complete", "generate"};

}  // namespace

bool is_lab_command(std::string_view command) {
  return std::ranges::any_of(kCommands, [&](const auto& each) { return each.name == command; });
}

void add_lab_commands(CommandLine app) {
  for (const LabCommand& command : kCommands) app.add_subcommand(command.name, command.description);
}

std::optional<int> hand_over_decoder(const CommandLine& app, char** argv) {
  for (const CommandLine& command : app.parsed_commands()) {
    if (std::ranges::find(kDecodes, command.name()) == std::end(kDecodes)) continue;
    const std::vector<GivenOption> given = command.given();
    const auto decoder = std::ranges::find(given, "--decoder", &GivenOption::name);
    if (decoder == given.end()) continue;
    const std::string& name = decoder->values.front();
    if (is_lab_decoder(name)) return become_laboratory(argv, "decoder '" + name + "'");
  }
  return std::nullopt;
}

int become_laboratory(char** argv, const std::string& wanted) {
  const std::filesystem::path file = executable().replace_filename("redraft-lab");
  ::execv(file.c_str(), argv);
  if (errno != ENOENT) return fail(file_error(file, wanted + " needs it, and it does not start"));
  return fail(Error(wanted +
                    " is part of the laboratory, redraft-lab, which is not beside this program: "
                    "run `make build` in a checkout of redraft to get both"));
}

}  // namespace redraft::cli
