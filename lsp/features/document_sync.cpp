#include "lsp/features/document_sync.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <limits>

#include "lsp/wire/convert.h"
#include "workspace/documents/file_uri.h"

namespace redraft::lsp {

void DocumentSync::begin(const InitializeParams& params, FeatureRegistry& registry) {
  encoding_ = params.capabilities.encoding;
  registry.on("textDocument/didOpen", this, &DocumentSync::did_open);
  registry.on("textDocument/didChange", this, &DocumentSync::did_change);
  registry.on("textDocument/didClose", this, &DocumentSync::did_close);
  registry.on("textDocument/didSave", this, &DocumentSync::did_save);
  registry.announce("textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}});

  registry.on("workspace/didCreateFiles", this, &DocumentSync::did_create_files);
  registry.on("workspace/didRenameFiles", this, &DocumentSync::did_rename_files);
  registry.on("workspace/didDeleteFiles", this, &DocumentSync::did_delete_files);
  const Json all_files = {{"filters", {{{"scheme", "file"}, {"pattern", {{"glob", "**/*"}}}}}}};
  registry.announce(
      "workspace",
      {{"fileOperations",
        {{"didCreate", all_files}, {"didRename", all_files}, {"didDelete", all_files}}}});

  // Sent by clients that watch files of their own accord or report where the user looks.
  registry.on("workspace/didChangeWatchedFiles", this, &DocumentSync::did_change_watched_files);
  registry.on("textDocument/didFocus", this, &DocumentSync::did_focus);
}

// After an unreadable open, no text that was open under the same name may remain here.
void DocumentSync::did_open(const Json& json) {
  const auto uri = json.at("textDocument").at("uri").get<std::string>();
  Result<void> opened;
  try {
    const auto params = json.get<DidOpenParams>();
    opened = workspace_.open(uri, params.version, params.text, params.language_id);
  } catch (const std::exception& failure) {
    workspace_.close(uri, "the document was opened anew");
    opened = Error("the editor sent it in a form that cannot be read (" + reason(failure) + ")");
  }
  if (!opened) refuse(opened.error());
}

// A lost change would leave a text here that is not the client's, and every later change and edit
// would go to the wrong place. So the document is given up until it is opened again.
void DocumentSync::did_change(const Json& params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  const std::shared_ptr<const Document> document = workspace_.document(uri);
  if (document == nullptr) {
    spdlog::debug("a change of a document that is not open");  // one follows each keystroke
    return;
  }
  const Result<void> taken = take_change(params, *document);
  if (taken) return;
  if (workspace_.document(uri) != nullptr) workspace_.close(uri, taken.error().message());
  refuse(taken.error());
}

Result<void> DocumentSync::take_change(const Json& json, const Document& document) {
  DidChangeParams params;
  try {
    json.get_to(params);
  } catch (const std::exception& failure) {
    return Error("the editor sent a change that cannot be read (" + reason(failure) +
                 "); close the file and open it anew");
  }
  const bool is_last = document.version() == std::numeric_limits<std::int64_t>::max();
  const std::int64_t version =
      params.version ? *params.version : document.version() + (is_last ? 0 : 1);
  if (version <= document.version()) {
    return Error("the editor sent a change to version " + std::to_string(version) +
                 " of a text that is at version " + std::to_string(document.version()) +
                 "; close the file and open it anew");
  }
  const std::vector<TextEdit> edits = to_edits(document, params.changes, encoding_);
  return workspace_.change(params.uri, version, edits);
}

void DocumentSync::refuse(const Error& error) {
  spdlog::warn("a document cannot be edited: {}", error.message());
  connection_->show_message(MessageType::kWarning,
                            "redraft cannot edit this file: " + error.message());
}

void DocumentSync::did_close(const DidCloseParams& params) { workspace_.close(params.uri); }

void DocumentSync::did_focus(const FocusParams& params) {
  if (params.uri) workspace_.focus(*params.uri);
}

void DocumentSync::did_save(const DidSaveParams& params) { files_changed({params.uri}); }

void DocumentSync::did_change_watched_files(const DidChangeWatchedFilesParams& params) {
  files_changed(params.uris);
}

void DocumentSync::did_create_files(const FileOperationParams& params) {
  files_changed(params.uris);
}

// Editors close a document under its old name and open it under the new one, before or after this.
void DocumentSync::did_rename_files(const FileOperationParams& params) {
  for (const std::string& uri : params.old_uris)
    workspace_.end_edits_within(uri, "the file was renamed");
  files_changed(params.uris);
}

void DocumentSync::did_delete_files(const FileOperationParams& params) {
  for (const std::string& uri : params.uris)
    workspace_.end_edits_within(uri, "the file was deleted");
  files_changed(params.uris);
}

void DocumentSync::files_changed(const std::vector<std::string>& uris) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& uri : uris) {
    if (const auto path = path_of_uri(uri)) paths.push_back(*path);
  }
  workspace_.files_changed(paths);
}

}  // namespace redraft::lsp
