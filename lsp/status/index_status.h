#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsp/wire/connection.h"
#include "lsp/wire/progress.h"
#include "lsp/wire/protocol.h"
#include "workspace/index/repository_indexer.h"

namespace redraft::lsp {

// The folders of a workspace that are worth indexing: neither the root nor the home folder.
std::vector<std::filesystem::path> folders_to_index(const std::vector<std::string>& uris);

// Folders as a setting names them: absolute, relative to the home folder ("~/…"), or relative to
// the first folder of the workspace.
std::vector<std::filesystem::path> folders_named(
    const std::vector<std::string>& names, const std::vector<std::filesystem::path>& workspace);

// What the client is told about an index: progress while much is read, and its state on request.
// Main thread.
class IndexReporter {
 public:
  // `what` names the index for the user: "the workspace".
  IndexReporter(std::shared_ptr<Connection> connection, std::string what)
      : connection_(std::move(connection)), what_(std::move(what)) {}

  void set_capabilities(const ClientCapabilities& capabilities) { capabilities_ = capabilities; }
  // Called by the Workspace.
  void on_index(const IndexStatus& status);
  // The index is gone, or is about to be replaced.
  void forget();
  // The index's part of the result of `redraft/status`; null if there is no index.
  Json json() const;
  // Why the index failed, as a sentence; empty if it did not.
  std::string failure() const;

 private:
  std::shared_ptr<Connection> connection_;
  std::string what_;
  ClientCapabilities capabilities_;
  std::optional<IndexStatus> status_;
  std::shared_ptr<WorkDoneProgress> progress_;
};

}  // namespace redraft::lsp
