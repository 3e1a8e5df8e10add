#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace redraft::mcp {

// Bytes of one message. Larger ones are skipped: no agent means to send that much.
inline constexpr std::size_t kLineLimit = std::size_t{16} << 20;

struct LongLine {
  std::size_t bytes = 0;
};
// A message without its newline, or what is known of one that is too long.
using Line = std::variant<std::string, LongLine>;

// Divides a byte stream into lines, however the bytes arrive. A line that is too long takes no
// memory.
class LineReader {
 public:
  explicit LineReader(std::size_t limit = kLineLimit) : limit_(limit) {}
  void append(std::string_view bytes);
  // The next complete line; nothing if more bytes are needed.
  std::optional<Line> next();
  // What the stream ended with, without a newline.
  std::optional<Line> rest();

 private:
  std::size_t limit_;
  std::string buffer_;
  std::size_t position_ = 0;  // bytes before it are consumed
  std::size_t searched_ = 0;  // there is no newline before it
  std::size_t skipped_ = 0;   // bytes of the line that is being skipped; 0: none is
};

}  // namespace redraft::mcp
