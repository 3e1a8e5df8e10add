#pragma once

#include <functional>
#include <memory>

#include "lsp/host/server_process.h"
#include "lsp/host/session_host.h"

namespace redraft::lsp {

// Whether the log is this process's alone and of today.
enum class LogKind { kOwn, kShared };

// Runs a host as this process's work, to the end: log, signals and exit_limit as ServerOptions
// has them. `begin` gives it clients, or a way for them to come, and returns what has to live as
// long as they do.
int run_session_host(ServerOptions options, LogKind log,
                     const std::function<std::shared_ptr<void>(SessionHost&)>& begin);

}  // namespace redraft::lsp
