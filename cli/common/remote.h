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

// The hidden command that runs the bridge.
inline constexpr char kBridgeCommand[] = "remote-bridge";

// The key for a remote server: from the variable REDRAFT_REMOTE_KEY, otherwise from the file
// remote-key in redraft's configuration folder, which only the user may read. Empty if there is
// neither.
Result<std::string> remote_key();

// Starts the process that connects to the server of `--remote`. Call this before the process
// confines itself.
Result<std::shared_ptr<Exchange>> start_remote(const CommonOptions& options);

// The engine that runs there. If the server cannot be reached and a target was named, the engine
// that `local` loads, with a notice.
Result<std::unique_ptr<Engine>> load_remote_engine(
    const CommonOptions& options, const Result<std::shared_ptr<Exchange>>& remote,
    const LoadControl& control, const std::function<Result<std::unique_ptr<Engine>>()>& local);

}  // namespace redraft::cli
