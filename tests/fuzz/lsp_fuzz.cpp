// Any bytes a client may send: framing, JSON and the server's handlers, without a model. The first
// byte says how large the pieces are in which the rest arrives. Whatever comes, the server answers
// with JSON and lives on.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lsp/framing.h"
#include "lsp/server.h"

namespace {

using redraft::Engine;
using redraft::Error;
using redraft::Result;
using redraft::lsp::Json;

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"capabilities":{"workspace":{"applyEdit":true},)"
    R"("experimental":{"redraft":{"streamedEdits":true}}}}})";
constexpr std::string_view kOpen =
    R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"u","languageId":"c",)"
    R"("version":1,"text":"a\r\né😀\rb\n"}}})";

void require(bool holds) {
  if (!holds) std::abort();
}

void check_round_trip(std::string_view content) {
  const Result<Json> value = redraft::lsp::parse_json(content);
  if (!value) return;
  const Result<Json> again = redraft::lsp::parse_json(redraft::lsp::to_text(*value));
  require(static_cast<bool>(again) && *again == *value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  spdlog::set_level(spdlog::level::off);
  const redraft::Post post = [](std::function<void()>) {};
  redraft::lsp::Server server(
      std::make_shared<redraft::EngineHost>(
          [](const redraft::LoadControl&) -> Result<std::unique_ptr<Engine>> {
            return Error("none");
          },
          post),
      post,
      {.send = [](const std::string& content) { require(Json::accept(content)); },
       .congested = [] { return false; }},
      [](int) {});
  server.receive(kInitialize);
  server.receive(kOpen);
  redraft::lsp::FrameReader reader;
  std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t piece = std::size_t{data[0]} + 1;
  while (!rest.empty()) {
    reader.append(rest.substr(0, piece));
    rest.remove_prefix(std::min(piece, rest.size()));
    while (true) {
      const Result<std::optional<std::string>> message = reader.next();
      if (!message) return 0;
      if (!*message) break;
      check_round_trip(**message);
      server.receive(**message);
    }
  }
  return 0;
}
