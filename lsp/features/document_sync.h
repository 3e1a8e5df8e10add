#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/features/client_versions.h"
#include "lsp/features/feature.h"
#include "lsp/wire/completion_protocol.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/json.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Keeps the Workspace's documents equal to the client's: documents opened, changed and closed, and
// files created, renamed or deleted in the editor, which reports them before the file system does.
// Main thread.
class DocumentSync : public Feature {
 public:
  DocumentSync(std::shared_ptr<Connection> connection, Workspace& workspace,
               ClientVersions& versions)
      : connection_(std::move(connection)), workspace_(workspace), versions_(versions) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;

 private:
  void did_open(Json params);
  void did_change(Json params);
  void did_close(const DidCloseParams& params);
  void did_focus(const FocusParams& params);
  void did_save(const DidSaveParams& params);
  void did_change_watched_files(const DidChangeWatchedFilesParams& params);
  void did_create_files(const FileOperationParams& params);
  void did_rename_files(const FileOperationParams& params);
  void did_delete_files(const FileOperationParams& params);

  // Runs `work` at once, or away from the event loop if the text is long.
  void work(std::size_t bytes, Connection::SideWork work);
  void finish_change(const std::shared_ptr<const Document>& before, Result<ChangedDocument> changed,
                     std::optional<std::int64_t> sent);
  static std::optional<std::int64_t> sent_version(const Json& params);
  void refuse(const Error& error);
  void files_changed(const std::vector<std::string>& uris);

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  ClientVersions& versions_;
  Encoding encoding_ = Encoding::kUtf16;
};

}  // namespace redraft::lsp
