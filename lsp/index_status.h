#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "lsp/connection.h"
#include "lsp/progress.h"
#include "lsp/protocol.h"
#include "workspace/repository_indexer.h"

namespace redraft::lsp {

// The folders of a workspace that are worth an index: not the whole disk, nor all that a user has.
std::vector<std::filesystem::path> folders_to_index(const std::vector<std::string>& uris);

// What the client is told about the index: progress while much is read, its state at any time. Main
// thread.
class IndexReporter {
 public:
  explicit IndexReporter(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}

  void set_capabilities(const ClientCapabilities& capabilities) { capabilities_ = capabilities; }
  // From the Workspace.
  void on_index(const IndexStatus& status);
  // Part of the result of `redraft/status`; null: there is no index.
  Json json() const;

 private:
  std::shared_ptr<Connection> connection_;
  ClientCapabilities capabilities_;
  std::optional<IndexStatus> status_;
  std::shared_ptr<WorkDoneProgress> progress_;
};

}  // namespace redraft::lsp
