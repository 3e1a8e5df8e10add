#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "lsp/host/attach.h"

namespace redraft::cli {

// Options of a language server that apply to all its clients.
struct ServerChoices {
  CommonOptions common = {};
  bool no_index = false;
  std::size_t cache_mib = 0;
  bool no_kv_cache = false;  // on disk
  bool no_confinement = false;
  bool checks_models = false;  // once, in an idle moment after the first load
  // Folders of other code to draft from; see lsp::Indexes::Factories.
  std::vector<std::string> common_folders = {};
};

// How `redraft lsp` finds a server with the same options, or starts one that ends `idle_seconds`
// after its last client.
lsp::AttachOptions shared_server(const ServerChoices& choices, int idle_seconds);

// The option of `redraft lsp` for the socket on which it takes over clients of other processes.
inline constexpr char kAttachedOption[] = "--attached-socket";

}  // namespace redraft::cli
