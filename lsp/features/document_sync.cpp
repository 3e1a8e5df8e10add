#include "lsp/features/document_sync.h"

#include <filesystem>
#include <utility>

#include "lsp/features/feature_registry.h"
#include "lsp/wire/convert.h"
#include "support/log/log.h"
#include "workspace/documents/file_uri.h"

namespace redraft::lsp {
namespace {

// The memory of a change apart from its text.
constexpr std::size_t kBytesPerChange = 128;

// The size of a document's or a change's text. Nothing if it is malformed, which is reported later.
std::size_t text_bytes(const Json& json) {
  if (!json.is_object()) return 0;
  const auto text = json.find("text");
  return text == json.end() || !text->is_string() ? 0 : text->get_ref<const std::string&>().size();
}

std::size_t changed_bytes(const Json& params) {
  const auto changes = params.find("contentChanges");
  if (changes == params.end() || !changes->is_array()) return 0;
  std::size_t bytes = kBytesPerChange * changes->size();
  for (const Json& change : *changes) bytes += text_bytes(change);
  return bytes;
}

Result<JudgedDocument> read_opened(const Json& json) {
  DidOpenParams params;
  try {
    json.get_to(params);
  } catch (const std::exception& failure) {
    return Error("the editor sent it in an unreadable form (" + reason(failure) + ")");
  }
  return judged_document(std::move(params.uri), params.version, std::move(params.text),
                         std::move(params.language_id));
}

Result<ChangedDocument> read_changed(const Json& json,
                                     const std::shared_ptr<const Document>& document,
                                     Encoding encoding) {
  DidChangeParams params;
  try {
    json.get_to(params);
  } catch (const std::exception& failure) {
    return Error("the editor sent an unreadable change (" + reason(failure) +
                 "); close the file and open it again");
  }
  const auto version = next_version(document->version(), params.version);
  if (!version) {
    return Error("the editor's version " + std::to_string(document->version()) +
                 " is the highest possible; close the file and open it again");
  }
  return changed_document(document, *version, to_edits(*document, params.changes, encoding));
}

}  // namespace

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

  // Some clients watch files without being asked, or report which document has the focus.
  registry.on("workspace/didChangeWatchedFiles", this, &DocumentSync::did_change_watched_files);
  registry.on("textDocument/didFocus", this, &DocumentSync::did_focus);
}

// The version that the client names, if it can be read.
std::optional<std::int64_t> DocumentSync::sent_version(const Json& params) {
  const Json& document = params.at("textDocument");
  const auto version = document.find("version");
  if (version == document.end() || !version->is_number_integer()) return std::nullopt;
  return version->get<std::int64_t>();
}

// After an unreadable open, an older text under the same name must not remain here.
void DocumentSync::did_open(Json params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  const std::size_t bytes = text_bytes(params.at("textDocument"));
  work(bytes, [this, uri, params = std::move(params)] {
    const auto opened = std::make_shared<Result<JudgedDocument>>(read_opened(params));
    return [this, uri, opened, sent = sent_version(params)] {
      const Result<void> taken = workspace_.open(uri, std::move(*opened));
      if (!taken) return refuse(taken.error());
      versions_.follow(*workspace_.document(uri), sent);
    };
  });
}

// After a lost change the text here differs from the client's, and every later change and edit
// would go to the wrong place. The server therefore drops the document until it is opened again.
void DocumentSync::did_change(Json params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  const std::shared_ptr<const Document> document = workspace_.document(uri);
  if (document == nullptr) {
    logging::debug("ignored a change of a document that is not open");  // one per keystroke
    return;
  }
  const std::size_t bytes = document->text().size() + changed_bytes(params);
  work(bytes, [this, document, encoding = encoding_, params = std::move(params)] {
    const auto changed =
        std::make_shared<Result<ChangedDocument>>(read_changed(params, document, encoding));
    return [this, document, changed, sent = sent_version(params)] {
      finish_change(document, std::move(*changed), sent);
    };
  });
}

void DocumentSync::work(std::size_t bytes, Connection::SideWork work) {
  if (bytes > kLongBytes) {
    connection_->aside(std::move(work));
  } else {
    work()();
  }
}

void DocumentSync::finish_change(const std::shared_ptr<const Document>& before,
                                 Result<ChangedDocument> changed,
                                 std::optional<std::int64_t> sent) {
  const std::string& uri = before->uri();
  if (workspace_.document(uri) != before) return;  // dropped meanwhile
  const Result<void> taken = workspace_.change(uri, std::move(changed));
  if (!taken) return refuse(taken.error());
  versions_.follow(*workspace_.document(uri), sent);
}

void DocumentSync::refuse(const Error& error) {
  logging::warn("cannot edit a document: {}", error.message());
  connection_->show_message(MessageType::kWarning,
                            "redraft cannot edit this file: " + error.message());
}

void DocumentSync::did_close(const DidCloseParams& params) {
  versions_.forget(params.uri);
  workspace_.close(params.uri);
}

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

// Editors close a document under its old name and open it under the new one, before or after this
// call.
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
