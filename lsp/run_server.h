#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lsp/server.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

struct ServerOptions {
  // Called on the decode thread with the first edit, and again with the next one if it failed.
  EngineHost::Factory make_engine;
  Server::IndexFactories index;
  // spdlog's names: trace, debug, info, warning, error, critical, off. The log goes to stderr; it
  // never holds the text of a buffer.
  std::string log_level = "info";
  // Once the client is gone, the time that work under way (a forward pass, the loading of a model)
  // gets to notice it; then the process ends as it is, nothing being left to lose. Without: as long
  // as it takes.
  std::optional<std::chrono::milliseconds> exit_limit;
};

// Serves one client over two file descriptors until it says `exit` or is gone. Returns the
// process's exit code: 0 after `shutdown`, 1 without or after malformed input. Ignores SIGPIPE in
// this process and sets spdlog's default logger.
int run_server(ServerOptions options, int in_fd, int out_fd);

}  // namespace redraft::lsp
