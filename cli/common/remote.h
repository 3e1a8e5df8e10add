#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/common/command.h"
#include "decoding/load_control.h"
#include "remote/exchange.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// What `redraft remote-bridge` is told.
inline constexpr char kBridgeCommand[] = "remote-bridge";

// The key for a remote server: of the variable REDRAFT_REMOTE_KEY, else of the file remote-key in
// redraft's configuration folder, which nobody else may be able to read; empty if there is neither.
Result<std::string> remote_key();

// Starts the process that speaks to the server of `--remote`. Before this process confines itself.
Result<std::shared_ptr<Exchange>> start_remote(const CommonOptions& options);

// The engine that writes there. If the server cannot be reached and a target was named, what
// `local` loads, with a notice.
Result<std::unique_ptr<Engine>> load_remote_engine(
    const CommonOptions& options, const Result<std::shared_ptr<Exchange>>& remote,
    const LoadControl& control, const std::function<Result<std::unique_ptr<Engine>>()>& local);

}  // namespace redraft::cli
