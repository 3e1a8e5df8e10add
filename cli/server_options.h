#pragma once

#include "cli/shared_server.h"
#include "lsp/host/server_process.h"

namespace redraft::cli {

// A language server with these choices: its models, indexes, files and confinement.
lsp::ServerOptions server_options(const ServerChoices& choices);

}  // namespace redraft::cli
