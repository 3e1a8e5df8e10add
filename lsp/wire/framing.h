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
// No editor holds a text of which this would be the message: a header that says so is damaged.
inline constexpr std::size_t kPassedOverLimit = std::size_t{4} << 30;

// Bytes of a message's content.
struct FrameLimits {
  std::size_t read = kMessageLimit;            // above it none of it is kept,
  std::size_t passed_over = kPassedOverLimit;  // and above this it is malformed
};

// A message that was let go by because it is too long: nothing of it was kept.
struct UnreadMessage {
  std::size_t bytes = 0;
  MessageOutline outline = {};
  friend bool operator==(const UnreadMessage&, const UnreadMessage&) = default;
};

// The content of one message, or what is left of it.
using Frame = std::variant<std::string, UnreadMessage>;

// Cuts a byte stream into messages by their Content-Length headers, however the bytes arrive. One
// that is too long to be read takes no memory and leaves the others as they are. After an error the
// stream has no known message boundary any more: the reader stays in error.
class FrameReader {
 public:
  // Of contents whose header is read from now on.
  void limit_messages(const FrameLimits& limits) { limits_ = limits; }
  // Bytes as they were received.
  void append(std::string_view bytes);
  // The next complete message; none when more bytes are needed. An error says what is malformed.
  Result<std::optional<Frame>> next();
  // True when the stream may end here: nothing of a further message has come.
  bool at_boundary() const { return position_ == buffer_.size() && !content_length_; }
  // What it holds of messages that are not complete.
  std::size_t buffered_bytes() const { return buffer_.size(); }

 private:
  // Of the message that is being passed over.
  struct PassedOver {
    std::size_t bytes = 0;  // so many have gone by
    OutlineReader outline = {};
  };

  Result<std::optional<std::size_t>> read_header();
  std::optional<Frame> take_content();
  std::optional<Frame> pass_over();

  FrameLimits limits_;
  std::string buffer_;
  std::size_t position_ = 0;                   // bytes before it are consumed
  std::optional<std::size_t> content_length_;  // the header of the current message has been read
  std::optional<PassedOver> passed_over_;      // it is too long
  std::optional<Error> failure_;
};

// `content` with its header, ready to send.
std::string frame(std::string_view content);

}  // namespace redraft::lsp
