#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::lsp {

inline constexpr std::size_t kMessageLimit = 64 << 20;  // bytes of one message's content
inline constexpr std::size_t kHeaderLimit = 8 << 10;    // bytes of one message's header

// Cuts a byte stream into messages by their Content-Length headers, however the bytes arrive. After
// an error the stream has no known message boundary any more: the reader stays in error.
class FrameReader {
 public:
  // Of contents whose header is read from now on; at first it is kMessageLimit.
  void limit_messages(std::size_t bytes) { limit_ = bytes; }
  // Bytes as they were received.
  void append(std::string_view bytes);
  // The content of the next complete message; none when more bytes are needed. An error says what
  // is malformed.
  Result<std::optional<std::string>> next();
  // True when the stream may end here: nothing of a further message has come.
  bool at_boundary() const { return position_ == buffer_.size() && !content_length_; }

 private:
  Result<std::optional<std::size_t>> read_header();
  std::optional<std::string> take_content();

  std::size_t limit_ = kMessageLimit;
  std::string buffer_;
  std::size_t position_ = 0;                   // bytes before it are consumed
  std::optional<std::size_t> content_length_;  // the header of the current message has been read
  std::optional<Error> failure_;
};

// `content` with its header, ready to send.
std::string frame(std::string_view content);

}  // namespace redraft::lsp
