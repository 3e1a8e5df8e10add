#pragma once

#include <filesystem>

#include "http/http_options.h"
#include "lsp/host/server_process.h"
#include "support/result.h"

namespace redraft::http {

// How programs that speak HTTP reach the models.
struct ServeOptions {
  int port = 0;                           // of the loopback interface; 0: any free one
  std::filesystem::path token_file = {};  // as in lsp::ListenOptions
  bool needs_token = true;
  // Editors that attach to this socket (lsp::ListenOptions::kAttached) are served by the same
  // process; empty: none are.
  std::filesystem::path editors = {};
  HttpOptions http = {};  // the token is made here
};

// Serves clients over HTTP until SIGTERM or SIGINT, as the main work of this process; the models
// are loaded at once if there is room. Otherwise like lsp::serve_many_clients().
Result<int> serve(lsp::ServerOptions server, ServeOptions options);

}  // namespace redraft::http
