#pragma once

#include <cstddef>

#include "cli/common/command.h"
#include "lsp/host/attach.h"

namespace redraft::cli {

// What a language server decides once for all its clients.
struct ServerChoices {
  CommonOptions common;
  bool no_index = false;
  std::size_t cache_mib = 0;
};

// How `redraft lsp` finds a server with the same choices, or starts one that ends `idle_seconds`
// after its last client.
lsp::AttachOptions shared_server(const ServerChoices& choices, int idle_seconds);

// Of `redraft lsp`: the socket where it takes over the clients of others.
inline constexpr char kAttachedOption[] = "--attached-socket";

}  // namespace redraft::cli
