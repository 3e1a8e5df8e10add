#include "mcp/line_reader.h"

#include <algorithm>
#include <utility>

namespace redraft::mcp {

void LineReader::append(std::string_view bytes) {
  if (position_ > 0) {
    buffer_.erase(0, position_);
    searched_ -= std::min(searched_, position_);
    position_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Line> LineReader::next() {
  const std::size_t newline = buffer_.find('\n', std::max(position_, searched_));
  if (newline == std::string::npos) {
    searched_ = buffer_.size();
    const std::size_t size = buffer_.size() - position_;
    if (skipped_ > 0 || size > limit_) {
      skipped_ += size;
      position_ = buffer_.size();
    }
    return std::nullopt;
  }
  const std::size_t size = newline - position_;
  const std::size_t begin = std::exchange(position_, newline + 1);
  if (skipped_ > 0 || size > limit_) return LongLine{std::exchange(skipped_, 0) + size};
  std::string line = buffer_.substr(begin, size);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::optional<Line> LineReader::rest() {
  if (position_ == buffer_.size() && skipped_ == 0) return std::nullopt;
  buffer_ += '\n';
  return next();
}

}  // namespace redraft::mcp
