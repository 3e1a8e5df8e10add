// redraft decoders: the names that --decoder accepts, with their options.
#include <cstdio>
#include <string>

#include "cli/common/command.h"
#include "decoding/decoder_definition.h"
#include "decoding/decoder_name.h"

namespace redraft::cli {
namespace {

// An option's default and range, for its help.
std::string values_of(const DecoderOption& option) {
  if (option.kind == DecoderOption::Kind::kSwitch) return {};
  if (option.kind == DecoderOption::Kind::kText) return " (" + option.range() + ")";
  std::string values = " (" + option.range() + ", ";
  return values + (option.preset ? "else " + option.preset_text() : "else no limit") + ")";
}

void print(const DecoderDefinition& decoder) {
  std::printf("%.*s\n    %.*s\n", static_cast<int>(decoder.name.size()), decoder.name.data(),
              static_cast<int>(decoder.summary.size()), decoder.summary.data());
  for (const DecoderOption& option : decoder.options) {
    std::printf("    %-18s%.*s%s\n", (":" + option.usage()).c_str(),
                static_cast<int>(option.help.size()), option.help.data(),
                values_of(option).c_str());
  }
}

int run_decoders() {
  for (const DecoderDefinition* decoder : all_decoders()) print(*decoder);
  std::printf(
      "\nNAME[:OPTION[=VALUE]]…, as in redraft:max-nodes=64. Unless an option is called lossy, the "
      "output\n"
      "is what ar writes, byte for byte. --draft names the draft model.\n");
  if (is_lab_decoder("pld"))
    std::printf("`redraft-lab decoders` lists the decoders of the papers, too.\n");
  return kSuccess;
}

}  // namespace

void add_decoders(CommandLine app, Command& chosen) {
  const CommandLine decoders = app.add_subcommand(
      "decoders", "List the decoders that --decoder accepts, with their options");
  decoders.callback([&chosen] { chosen = [] { return run_decoders(); }; });
}

}  // namespace redraft::cli
