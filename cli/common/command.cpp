#include "cli/common/command.h"

#include <iostream>
#include <string>
#include <vector>

#include "cli/common/device.h"
#include "cli/common/misuse_reason.h"
#include "decoding/kernels/linear.h"
#include "support/log/log.h"
#include "support/utf8/hidden_characters.h"

namespace redraft::cli {

int fail(const Error& error) {
  std::cout.flush();
  // It may quote a file, or what a server has sent.
  std::cerr << "redraft: error: " << visible_text(error.message()) << std::endl;
  return kFailure;
}

int misuse(const Error& error) {
  fail(error);
  return kWrongUsage;
}

namespace {

constexpr const char* kGroup = "Common options";

// Why the machine does not have these kernels; empty if it does. Called only if the option is
// given, because the check may take a child process.
std::string check_kernels(const std::string& name) {
  if (kernels::available_isa(name)) return {};
  return "this machine does not support the kernels '" + name + "'. It supports " +
         kernels::names_of_available_isas();
}

void add_target(CommandLine subcommand, CommonOptions& options) {
  subcommand
      .add_option(
          "--target", options.target,
          "Model that decides every token: a name, a file or a folder; +ADAPTER merges the LoRA "
          "in that folder into it")
      .show_default()
      .each([&options](const std::string& /*name*/) { options.has_target = true; })
      .group(kGroup);
}

void add_draft(CommandLine subcommand, CommonOptions& options) {
  subcommand
      .add_option("--draft", options.draft,
                  "Draft model, for decoders that use one; +ADAPTER as with --target "
                  "(default: qwen2.5-coder-0.5b)")
      .group(kGroup);
}

void add_head(CommandLine subcommand, CommonOptions& options) {
  subcommand
      .add_option("--head", options.head,
                  "Folder with a draft head that was trained for the target: it guesses from "
                  "the target's hidden states, on the CPU")
      .group(kGroup);
}

void add_threads(CommandLine subcommand, CommonOptions& options) {
  subcommand
      .add_option("--threads", options.threads, "Compute threads (default: one per physical core)")
      .check(in_range(1, 1024))
      .group(kGroup);
}

void add_kernels(CommandLine subcommand, CommonOptions& options) {
  subcommand
      .add_option("--kernels", options.kernels,
                  "Instruction set of the CPU's kernels (default: the best one)")
      .check({check_kernels, ""})
      .group(kGroup);
}

void add_log_level(CommandLine subcommand, CommonOptions& options) {
  subcommand.add_option("--log-level", options.log_level, "Which messages are logged to stderr")
      .check(any_of({"trace", "debug", "info", "warning", "error", "off"}))
      .show_default()
      .group(kGroup);
}

void add_device(CommandLine subcommand, CommonOptions& options, const char* help,
                const std::vector<std::string>& names) {
  subcommand
      .add_parsed(
          "--device",
          [&options](const std::string& text) { options.device = *DeviceChoice::parse(text); },
          help)
      .check(any_of(names))
      .show_default(options.device.text())
      .group(kGroup);
}

}  // namespace

WordCheck text_or_json() {
  return one_of<Format>({{"text", Format::kText}, {"json", Format::kJson}});
}

void add_tokenizer_options(CommandLine subcommand, CommonOptions& options) {
  add_target(subcommand, options);
  add_log_level(subcommand, options);
}

void add_index_options(CommandLine subcommand, CommonOptions& options) {
  add_target(subcommand, options);
  add_threads(subcommand, options);
  add_log_level(subcommand, options);
}

void add_machine_options(CommandLine subcommand, CommonOptions& options) {
  add_device(subcommand, options, "Where the model runs", {"cpu", "cuda"});
  add_threads(subcommand, options);
  add_kernels(subcommand, options);
  add_log_level(subcommand, options);
}

void add_target_options(CommandLine subcommand, CommonOptions& options) {
  add_device(subcommand, options, "Where the model runs", {"cpu", "cuda"});
  add_target(subcommand, options);
  add_threads(subcommand, options);
  add_kernels(subcommand, options);
  add_log_level(subcommand, options);
}

void add_common_options(CommandLine subcommand, CommonOptions& options) {
  add_target_options(subcommand, options);
  add_draft(subcommand, options);
  add_head(subcommand, options);
}

void add_server_options(CommandLine subcommand, CommonOptions& options) {
  options.device = DeviceChoice::automatic();
  add_device(subcommand, options, "Where the model runs; auto: on a GPU if it has enough memory",
             {"auto", "cpu", "cuda"});
  add_target(subcommand, options);
  add_draft(subcommand, options);
  add_head(subcommand, options);
  add_threads(subcommand, options);
  add_kernels(subcommand, options);
  add_log_level(subcommand, options);
}

void add_own_model_options(CommandLine subcommand, CommonOptions& options) {
  subcommand
      .add_option(
          "--completion-model", options.completion_model,
          "A smaller model that writes completions, loaded in addition to the target when it "
          "is first needed (default: the target)")
      .group(kGroup);
  subcommand
      .add_option(
          "--next-edit-model", options.next_edit_model,
          "A model that writes next edits; one that was trained for them gets its own format")
      .group(kGroup);
}

void add_remote_options(CommandLine subcommand, CommonOptions& options) {
  constexpr const char* kRemote = "A model on another machine";
  const Option remote =
      subcommand
          .add_option("--remote", options.remote,
                      "Use the server at this address, over OpenAI's HTTP interface. The edited "
                      "text leaves this machine. The key is in REDRAFT_REMOTE_KEY or in the file "
                      "remote-key in redraft's configuration folder. With --target, the local "
                      "model writes if the server cannot be reached")
          .group(kRemote);
  subcommand
      .add_option("--remote-model", options.remote_model,
                  "The name of the server's model (default: the only one)")
      .needs(remote)
      .group(kRemote);
}

Result<void> apply(const CommonOptions& options) {
  logging::set_level(options.log_level);
  if (const std::optional<kernels::Isa> isa = kernels::available_isa(options.kernels))
    kernels::set_best_isa(*isa);  // else empty: check_kernels
  if (options.device.is_auto()) return {};
  return check_device(*options.device.named());
}

}  // namespace redraft::cli
