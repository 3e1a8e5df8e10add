#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lsp/wire/framing.h"
#include "mcp/files/root_folders.h"
#include "mcp/tool.h"
#include "support/byte_range.h"
#include "support/files/file_handle.h"
#include "support/result.h"
#include "workspace/documents/document.h"

namespace redraft::mcp {

// The shared language server, which has the model, at the other end of a socket. It gets texts and
// answers with edits; it is told nothing else. Calls use it one after the other.
class LanguageServer {
 public:
  // `client` speaks LSP; closing `connection` ends the session.
  LanguageServer(FileHandle client, FileHandle connection)
      : client_(std::move(client)), connection_(std::move(connection)) {}

  // Sends `initialize` in the first call, and later what changed of the roots.
  Result<void> begin(Call& call, const RootFolders& roots);

  // Waits for the answer, and meanwhile for notifications. Errors: the server's, with its message;
  // the call was cancelled; the server has ended.
  Result<Json> request(Call& call, std::string_view method, Json params);
  Result<void> notify(std::string_view method, Json params);
  // Waits until `done` is true after a notification. Errors as for request().
  Result<void> wait(Call& call, const std::function<bool()>& done);

  // Receives the notifications of the server while something is waited for.
  std::function<void(const std::string& method, const Json& params)> on_notification;

 private:
  Result<void> send(const Json& message);
  Result<void> read(Call& call);
  Result<void> take(const std::string& content);

  FileHandle client_;
  FileHandle connection_;
  lsp::FrameReader frames_;
  bool has_begun_ = false;
  Json folders_;  // that the server knows
  std::int64_t last_id_ = 0;
  std::optional<Json> response_;  // to last_id_
};

// A document that is open in the server as long as this object lives.
class OpenInServer {
 public:
  OpenInServer(LanguageServer& server, std::string uri, const Document& document);
  ~OpenInServer();
  OpenInServer(const OpenInServer&) = delete;
  OpenInServer& operator=(const OpenInServer&) = delete;
  const Result<void>& opened() const { return opened_; }

 private:
  LanguageServer& server_;
  std::string uri_;
  Result<void> opened_;
};

// A range of LSP, whose characters are bytes here; nothing if it is none or outside of the text.
std::optional<ByteRange> byte_range(const Json& range, const Document& document);
Json lsp_position(std::size_t offset, const Document& document);
Json lsp_range(const ByteRange& range, const Document& document);

}  // namespace redraft::mcp
