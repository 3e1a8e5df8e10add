#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/server.h"
#include "support/log/log.h"

namespace redraft::lsp {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// A server without a model, initialized and with the document "u" open. Whatever it receives, it
// sends valid JSON and survives.
class FuzzedServer {
 public:
  FuzzedServer() {
    logging::set_level("off");
    server_.receive(
        R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"capabilities":{"workspace":)"
        R"({"applyEdit":true},"experimental":{"redraft":{"streamedEdits":true}}}}})");
    server_.receive(
        R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"u",)"
        R"("languageId":"c","version":1,"text":"a\r\né😀\rb\n"}}})");
  }

  // Valid JSON is the same after writing and parsing it again.
  void receive(std::string_view content) {
    if (const Result<Json> value = parse_json(content)) {
      const Result<Json> again = parse_json(to_text(*value));
      require(static_cast<bool>(again) && *again == *value);
    }
    server_.receive(content);
  }
  void receive_unread(const UnreadMessage& message) { server_.receive_unread(message); }

 private:
  const Post post_ = [](std::function<void()>) {};
  Server server_{
      std::make_shared<EngineHost>(
          [](const LoadControl&) -> Result<std::unique_ptr<Engine>> { return Error("none"); },
          post_),
      post_,
      {.send = [](const std::string& content) { require(Json::accept(content)); },
       .congested = [] { return false; }},
      [](int) {}};
};

}  // namespace redraft::lsp
