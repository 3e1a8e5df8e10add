#pragma once

#include <functional>
#include <memory>

#include "lsp/host/server_process.h"
#include "lsp/host/session_host.h"
#include "support/log/log.h"

namespace redraft::lsp {

// Runs a host as the main work of this process, to the end, with the log, signals and exit_limit
// that ServerOptions describes. `begin` gives it clients, or a way for them to connect, and returns
// what has to live as long as they do.
int run_session_host(ServerOptions options, logging::Lines log,
                     const std::function<std::shared_ptr<void>(SessionHost&)>& begin);

}  // namespace redraft::lsp
