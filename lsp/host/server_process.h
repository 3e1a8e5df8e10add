#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "lsp/host/session_host.h"
#include "lsp/server.h"
#include "support/result.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

struct ServerOptions {
  // Called on the decode thread with the first edit, and again with the next one if it failed.
  EngineHost::Factory make_engine;
  Server::IndexFactories index;
  // Where it is counted what became of suggestions (UsageLog); empty: nowhere.
  std::filesystem::path usage_file = {};
  // spdlog's names: trace, debug, info, warning, error, critical, off. The log goes to stderr; it
  // never holds the text of a buffer.
  std::string log_level = "info";
  // Of serve_one_client() alone.
  RecordingOptions recording = {};
  // Once the last client is gone, the time that work under way (a forward pass, the loading of a
  // model) gets to notice it; then the process ends as it is, nothing being left to lose. Without:
  // as long as it takes.
  std::optional<std::chrono::milliseconds> exit_limit;
};

// Serves one client over two file descriptors until it says `exit` or is gone. Returns the
// process's exit code: 0 after `shutdown`, 1 without or after malformed input. Ignores SIGPIPE in
// this process and sets spdlog's default logger.
int serve_one_client(ServerOptions options, int in_fd, int out_fd);

// Where many clients come from.
struct ListenOptions {
  enum class Door {
    kSocket,    // they connect to `socket`
    kPort,      // they connect to `port` of the loopback interface and know the token
    kAttached,  // their processes connect to `socket` and hand over their own clients: see attach.h
  };
  Door door = Door::kSocket;
  std::filesystem::path socket;
  int port = 0;                      // 0: any that is free
  std::filesystem::path token_file;  // empty: one in redraft's runtime folder
  // Ends when no client has been there for so long. Without: never.
  std::optional<std::chrono::seconds> idle_limit;
};

// Serves any number of clients with one model until SIGTERM, SIGINT or the idle limit; the socket
// and the token file are then removed, and the exit code is 0. Says where it listens as one line
// on stdout. An error: it cannot listen there. Otherwise like serve_one_client().
Result<int> serve_many_clients(ServerOptions options, const ListenOptions& listen);

}  // namespace redraft::lsp
