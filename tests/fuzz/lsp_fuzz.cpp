// Any bytes a client may send: framing, JSON and the server's handlers. The first byte says how
// large the pieces are in which the rest arrives: the messages are those of the whole.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lsp/wire/framing.h"
#include "tests/fuzz/fuzzed_server.h"

namespace {

using redraft::Result;
using redraft::lsp::FrameReader;

struct Messages {
  std::vector<std::string> contents;
  bool malformed = false;
  friend bool operator==(const Messages&, const Messages&) = default;
};

Messages cut(std::string_view bytes, std::size_t piece) {
  FrameReader reader;
  Messages messages;
  while (!bytes.empty()) {
    reader.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      Result<std::optional<std::string>> message = reader.next();
      messages.malformed = !message;
      if (!message) return messages;
      if (!*message) break;
      messages.contents.push_back(std::move(**message));
    }
  }
  return messages;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Messages messages = cut(bytes, std::size_t{data[0]} + 1);
  redraft::lsp::require(cut(bytes, bytes.size()) == messages);
  redraft::lsp::FuzzedServer server;
  for (const std::string& content : messages.contents) {
    server.receive(content);
    redraft::lsp::require(cut(redraft::lsp::frame(content), 1).contents == std::vector{content});
  }
  return 0;
}
