#pragma once

#include <filesystem>

#include "http/http_options.h"
#include "lsp/host/server_process.h"
#include "support/result.h"

namespace redraft::http {

// How HTTP clients reach the models.
struct ServeOptions {
  int port = 0;                           // on the loopback interface; 0 for any free port
  std::filesystem::path token_file = {};  // as in lsp::ListenOptions
  bool needs_token = true;
  // The same process serves editors that attach to this socket (lsp::ListenOptions::kAttached);
  // empty for no editors.
  std::filesystem::path editors = {};
  HttpOptions http = {};  // serve() creates the token
};

// Serves HTTP clients until SIGTERM or SIGINT, as the main work of this process. Loads the models
// at once if there is enough memory. Otherwise like lsp::serve_many_clients().
Result<int> serve(lsp::ServerOptions server, ServeOptions options);

}  // namespace redraft::http
