// Any bytes that a client may send: framing, JSON and the server's handlers. The first byte is the
// size of the pieces in which the rest arrives: the messages are the same as those of the whole.
// Again with a limit that most messages exceed: a skipped message is reported by its outline, which
// is that of the message if it is JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "lsp/wire/framing.h"
#include "tests/fuzz/fuzzed_server.h"

namespace {

using redraft::Result;
using redraft::lsp::Frame;
using redraft::lsp::FrameLimits;
using redraft::lsp::FrameReader;
using redraft::lsp::Json;
using redraft::lsp::MessageOutline;
using redraft::lsp::OutlineReader;
using redraft::lsp::UnreadMessage;

constexpr FrameLimits kSmall = {.read = 16, .passed_over = std::size_t{1} << 20};

struct Messages {
  std::vector<Frame> frames;
  bool malformed = false;
  friend bool operator==(const Messages&, const Messages&) = default;
};

Messages cut(std::string_view bytes, std::size_t piece, const FrameLimits& limits = {}) {
  FrameReader reader;
  reader.limit_messages(limits);
  Messages messages;
  while (!bytes.empty()) {
    reader.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      Result<std::optional<Frame>> message = reader.next();
      messages.malformed = !message;
      if (!message) return messages;
      if (!*message) break;
      messages.frames.push_back(std::move(**message));
    }
  }
  return messages;
}

// A member of an object; null if there is none.
Json member(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Values that may be longer than those that are kept are not compared.
void check_outline(const std::string& content, const MessageOutline& outline) {
  const Result<Json> message = redraft::lsp::parse_json(content);
  if (!message || content.size() > OutlineReader::kMaxValueBytes) return;
  const Json id = member(*message, "id");
  const Json uri = member(member(member(*message, "params"), "textDocument"), "uri");
  redraft::lsp::require(outline.id == (id.is_number_integer() || id.is_string() ? id : Json()));
  redraft::lsp::require(outline.method == text_of(member(*message, "method")));
  redraft::lsp::require(outline.uri == text_of(uri));
}

// The messages are those in `read`, with the outlines of the longer ones.
void check_limited(const Messages& limited, const Messages& read) {
  redraft::lsp::require(limited.frames.size() == read.frames.size());
  for (std::size_t i = 0; i < read.frames.size(); ++i) {
    const auto& content = std::get<std::string>(read.frames[i]);
    if (const auto* unread = std::get_if<UnreadMessage>(&limited.frames[i])) {
      redraft::lsp::require(unread->bytes == content.size() && content.size() > kSmall.read);
      check_outline(content, unread->outline);
    } else {
      redraft::lsp::require(limited.frames[i] == read.frames[i]);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t piece = std::size_t{data[0]} + 1;
  const Messages messages = cut(bytes, piece);
  redraft::lsp::require(cut(bytes, bytes.size()) == messages);
  const Messages limited = cut(bytes, piece, kSmall);
  redraft::lsp::require(cut(bytes, bytes.size(), kSmall) == limited);
  redraft::lsp::FuzzedServer server;
  const bool all_read = std::ranges::all_of(messages.frames, [](const Frame& frame) {
    return std::holds_alternative<std::string>(frame);
  });
  if (all_read && messages.malformed == limited.malformed) check_limited(limited, messages);
  for (const Frame& frame : messages.frames) {
    const auto* content = std::get_if<std::string>(&frame);
    if (content == nullptr) continue;
    server.receive(*content);
    redraft::lsp::require(cut(redraft::lsp::frame(*content), 1).frames == std::vector{frame});
  }
  for (const Frame& frame : limited.frames) {
    if (const auto* unread = std::get_if<UnreadMessage>(&frame)) server.receive_unread(*unread);
  }
  return 0;
}
