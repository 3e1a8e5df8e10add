#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "lsp/host/session_host.h"
#include "lsp/server.h"
#include "support/confine/confinement.h"
#include "support/result.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

struct ServerOptions {
  // Called on the decode thread with the first document or edit, and again with the next one after
  // a failure.
  EngineHost::Factory make_engine;
  Server::IndexFactories index;
  // The file that counts what became of suggestions (UsageLog); empty: none.
  std::filesystem::path usage_file = {};
  // See Now; a test's own, or the steady clock.
  Now now = std::chrono::steady_clock::now;
  // Where faults are noted, so that a document that caused two of them is left alone by later
  // servers of the same `build` (keep_crash_notes()); empty: nowhere.
  std::filesystem::path crash_notes = {};
  std::string build = {};
  // The process confines itself before it serves, to redraft's own folders, those of the two files
  // above and what is named here; none: it does not. Not to be set where threads run already.
  std::optional<ConfinementOptions> confinement = {};
  // trace, debug, info, warning, error, critical or off. The log goes to stderr; it
  // never contains the text of a document.
  std::string log_level = "info";
  // For serve_one_client() only.
  RecordingOptions recording = {};
  // How long work under way (a forward pass, the loading of a model) may take to stop after the
  // last client is gone; then the process exits at once, as nothing is left to lose. None: no
  // limit.
  std::optional<std::chrono::milliseconds> exit_limit;
};

// Serves one client over two file descriptors until it sends `exit` or is gone. Returns the
// process's exit code: 0 after `shutdown`, 1 without it or after malformed input. Ignores SIGPIPE
// in this process and chooses where its log goes.
int serve_one_client(ServerOptions options, int in_fd, int out_fd);

// Where clients connect.
struct ListenOptions {
  enum class Door {
    kSocket,    // they connect to `socket`
    kPort,      // they connect to `port` of the loopback interface and know the token
    kAttached,  // their processes connect to `socket` and hand over their own clients: see attach.h
  };
  Door door = Door::kSocket;
  std::filesystem::path socket;
  int port = 0;                      // 0: any free port
  std::filesystem::path token_file;  // empty: one in redraft's runtime folder
  // Ends after this long without any client. None: never.
  std::optional<std::chrono::seconds> idle_limit;
};

// Serves any number of clients with one model until SIGTERM, SIGINT or the idle limit; then it
// removes the socket and the token file and returns exit code 0. Prints where it listens as one
// line on stdout. An error if it cannot listen there. Otherwise like serve_one_client().
Result<int> serve_many_clients(ServerOptions options, const ListenOptions& listen);

}  // namespace redraft::lsp
