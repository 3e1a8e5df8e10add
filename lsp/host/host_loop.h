#pragma once

#include <functional>
#include <memory>

#include "lsp/host/server_process.h"
#include "lsp/host/session_host.h"

namespace redraft::lsp {

// Whether the log belongs to this process, or several processes of several days write to it.
enum class LogKind { kOwn, kShared };

// Runs a host as the main work of this process, to the end, with the log, signals and exit_limit
// that ServerOptions describes. `begin` gives it clients, or a way for them to connect, and returns
// what has to live as long as they do.
int run_session_host(ServerOptions options, LogKind log,
                     const std::function<std::shared_ptr<void>(SessionHost&)>& begin);

}  // namespace redraft::lsp
