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

// The folders of a workspace that are worth an index: not the whole disk, nor all that a user has.
std::vector<std::filesystem::path> folders_to_index(const std::vector<std::string>& uris);

// Folders as a setting names them: absolute, from the home folder on ("~/…"), or from the first
// folder of the workspace on.
std::vector<std::filesystem::path> folders_named(
    const std::vector<std::string>& names, const std::vector<std::filesystem::path>& workspace);

// What the client is told about an index: progress while much is read, its state at any time. Main
// thread.
class IndexReporter {
 public:
  // `what` is read, for the user: "the workspace".
  IndexReporter(std::shared_ptr<Connection> connection, std::string what)
      : connection_(std::move(connection)), what_(std::move(what)) {}

  void set_capabilities(const ClientCapabilities& capabilities) { capabilities_ = capabilities; }
  // From the Workspace.
  void on_index(const IndexStatus& status);
  // There is no index any more, or another one comes.
  void forget();
  // Part of the result of `redraft/status`; null: there is no index.
  Json json() const;
  // Why there is none although there should be, as a sentence; empty: it did not fail.
  std::string failure() const;

 private:
  std::shared_ptr<Connection> connection_;
  std::string what_;
  ClientCapabilities capabilities_;
  std::optional<IndexStatus> status_;
  std::shared_ptr<WorkDoneProgress> progress_;
};

}  // namespace redraft::lsp
