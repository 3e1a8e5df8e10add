#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lsp/wire/message_outline.h"
#include "support/result.h"

namespace redraft::lsp {

inline constexpr std::size_t kMessageLimit = 64 << 20;  // bytes of one message's content
inline constexpr std::size_t kHeaderLimit = 8 << 10;    // bytes of one message's header
// No editor holds a text this large. A header that announces it is damaged.
inline constexpr std::size_t kPassedOverLimit = std::size_t{4} << 30;

// In bytes of a message's content.
struct FrameLimits {
  std::size_t read = kMessageLimit;            // a longer message is skipped and not kept,
  std::size_t passed_over = kPassedOverLimit;  // and one longer than this is malformed
};

// A message that was skipped because it is too long or has more than kValueLimit values. Its
// content was not kept.
struct UnreadMessage {
  std::size_t bytes = 0;
  MessageOutline outline = {};
  bool has_too_many_values = false;
  friend bool operator==(const UnreadMessage&, const UnreadMessage&) = default;
};

// The content of one message, or the outline of a skipped one.
using Frame = std::variant<std::string, UnreadMessage>;

// Divides a byte stream into messages by their Content-Length headers, however the bytes arrive. A
// message that is too long takes no memory and does not affect the others. After an error the
// message boundaries of the stream are unknown, so the reader stays in error.
class FrameReader {
 public:
  // Applies to messages whose header is read from now on.
  void limit_messages(const FrameLimits& limits) { limits_ = limits; }
  // Bytes as they were received.
  void append(std::string_view bytes);
  // The next complete message; nothing if more bytes are needed. An error says what is malformed.
  Result<std::optional<Frame>> next();
  // True if the stream may end here: no part of a further message has been received.
  bool at_boundary() const { return position_ == buffer_.size() && !content_length_; }
  // The bytes it holds of incomplete messages.
  std::size_t buffered_bytes() const { return buffer_.size(); }

 private:
  // The message that is being skipped.
  struct PassedOver {
    std::size_t bytes = 0;  // skipped so far
    OutlineReader outline = {};
  };

  Result<std::optional<std::size_t>> read_header();
  std::optional<Frame> take_content();
  std::optional<Frame> pass_over();

  FrameLimits limits_;
  std::string buffer_;
  std::size_t position_ = 0;                   // bytes before it are consumed
  std::optional<std::size_t> content_length_;  // the header of the current message has been read
  std::optional<PassedOver> passed_over_;      // the current message is too long
  std::optional<Error> failure_;
};

// `content` with its header, ready to send.
std::string frame(std::string_view content);

}  // namespace redraft::lsp
