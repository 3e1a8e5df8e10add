#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/common/command.h"
#include "cli/common/index_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/status_line.h"
#include "cli/common/token_trace.h"
#include "cli/common/tracing.h"
#include "decoding/decoder_name.h"
#include "decoding/kernels/thread_pool.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// The objects that a command needs for one decode. `pool` must outlive `engine`.
struct DecodingSetup {
  Tracing tracing;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<TokenTrace> tokens;  // null if not requested
  Datastores stores;                   // for `code`, without the file `without`
};

// The files for traces; empty if not requested.
struct InsideOptions {
  std::string trace_file;
  std::string token_file;
};
void add_inside_options(CommandLine subcommand, InsideOptions& options);

// Loads everything, shows progress on `status`, and reports errors. Returns an exit code if
// something failed or the user interrupted; the command must then end with it.
std::optional<int> set_up(const CommonOptions& common, const InsideOptions& inside,
                          const DecoderName& decoder, const CodeFolders& code,
                          const std::filesystem::path& without, StatusLine& status,
                          const InterruptWatch& watch, DecodingSetup& setup);

}  // namespace redraft::cli
