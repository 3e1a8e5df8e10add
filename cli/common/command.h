#pragma once

#include <functional>
#include <string>

#include "cli/common/command_line.h"
#include "cli/common/device_choice.h"
#include "decoding/device.h"
#include "support/result.h"

namespace redraft::cli {

// Exit codes of every subcommand.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kWrongUsage = 2;
// With --write: changes with a doubt were not written.
inline constexpr int kLeftOut = 3;
inline constexpr int kInterrupted = 130;  // as a shell reports SIGINT

// Runs the subcommand of the command line; returns the exit code.
using Command = std::function<int()>;

// Each adds one subcommand to `app`, which sets `chosen` if the command line names it.
void add_edit(CommandLine app, Command& chosen);
void add_apply(CommandLine app, Command& chosen);
void add_complete(CommandLine app, Command& chosen);
void add_generate(CommandLine app, Command& chosen);
void add_tokenize(CommandLine app, Command& chosen);
void add_models(CommandLine app, Command& chosen);
void add_index(CommandLine app, Command& chosen);
void add_cache(CommandLine app, Command& chosen);
void add_decoders(CommandLine app, Command& chosen);
void add_doctor(CommandLine app, Command& chosen);
void add_lsp(CommandLine app, Command& chosen);
void add_mcp(CommandLine app, Command& chosen);
// Hidden: the process that connects to a remote server.
void add_remote_bridge(CommandLine app, Command& chosen);
void add_chat_templates(CommandLine app, Command& chosen);

// These write `redraft: error: …` to stderr and return kFailure or kWrongUsage.
int fail(const Error& error);
int misuse(const Error& error);

// The options that subcommands share. Each command has the ones that affect it.
struct CommonOptions {
  std::string target = "qwen2.5-coder-1.5b";
  std::string draft;             // empty for the default one, if one is needed
  std::string head;              // the folder of the target's draft head; empty for none
  std::string completion_model;  // writes completions instead of the target; empty for none
  std::string next_edit_model;   // writes next edits instead of the target; empty for none
  DeviceChoice device{Device::cpu()};
  int threads = 0;           // 0: one per physical core
  std::string kernels;       // instruction set of the CPU's kernels; empty for the best one
  std::string remote;        // a server that writes instead of the target; empty for none
  std::string remote_model;  // empty for the server's only one
  bool has_target = false;   // false if the target is the default one
  std::string log_level = "warning";
};
// For a command that only turns text into tokens: --target and --log-level.
void add_tokenizer_options(CommandLine subcommand, CommonOptions& options);
void add_index_options(CommandLine subcommand, CommonOptions& options);  // --threads too
// For a command whose model is an argument: --device, --threads, --kernels and --log-level.
void add_machine_options(CommandLine subcommand, CommonOptions& options);
// For a command without a draft model: all but --draft and --head.
void add_target_options(CommandLine subcommand, CommonOptions& options);
void add_common_options(CommandLine subcommand, CommonOptions& options);  // all
// The same, but --device also accepts `auto`, the default: a GPU if there is one, else the CPU.
void add_server_options(CommandLine subcommand, CommonOptions& options);
// --completion-model and --next-edit-model, for commands that concern a server.
void add_own_model_options(CommandLine subcommand, CommonOptions& options);
// --remote and --remote-model, for commands that can use a remote server.
void add_remote_options(CommandLine subcommand, CommonOptions& options);
// Sets the log level and the instruction set, and checks that this build supports the device.
Result<void> apply(const CommonOptions& options);

enum class Format { kDiff, kText, kJson };
// For a --format that is text or json.
WordCheck text_or_json();

}  // namespace redraft::cli
