#include "lsp/wire/framing.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "text/strings/lower_case.h"
#include "text/strings/trimmed.h"

namespace redraft::lsp {
namespace {

constexpr std::string_view kHeaderEnd = "\r\n\r\n";
// A longer content is handed over with the buffer that it arrived in. Allocating new memory for it
// would take longer than all other work here.
constexpr std::size_t kNotCopied = 1 << 20;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}
Result<std::size_t> parse_length(std::string_view value, std::size_t limit) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (value.empty() || end != value.data() + value.size() ||
      (error != std::errc() && error != std::errc::result_out_of_range)) {
    return Error("Content-Length is not a number of bytes");
  }
  if (error == std::errc::result_out_of_range || length > limit) {
    return Error("Content-Length is beyond the limit of " + std::to_string(limit >> 20) + " MB");
  }
  return length;
}

Result<std::size_t> parse_header(std::string_view header, std::size_t limit) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t line_end = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, line_end);
    header.remove_prefix(std::min(line_end + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Error("a header line without a colon");
    if (!equals_ignoring_case(trimmed(line.substr(0, colon), " \t"), "Content-Length")) continue;
    Result<std::size_t> value = parse_length(trimmed(line.substr(colon + 1), " \t"), limit);
    if (!value) return value.error();
    if (length && *length != *value) return Error("two different Content-Length headers");
    length = *value;
  }
  if (!length) return Error("a header without Content-Length");
  return *length;
}

// Detects early that a stream is not LSP, instead of waiting for the end of a header that never
// comes. A header that arrives in one piece follows the same rules.
bool cannot_become_header(std::string_view begin) {
  if (!begin.empty() && (lower_case(begin[0]) < 'a' || lower_case(begin[0]) > 'z')) return true;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] == '\n' && (i == 0 || begin[i - 1] != '\r')) return true;
  }
  return false;
}

}  // namespace

void FrameReader::append(std::string_view bytes) {
  // Consumed bytes are dropped once they outnumber the rest, so that each byte is moved a bounded
  // number of times.
  if (position_ > buffer_.size() / 2) {
    buffer_.erase(0, position_);
    position_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<Frame>> FrameReader::next() {
  if (failure_) return *failure_;
  if (!content_length_) {
    Result<std::optional<std::size_t>> length = read_header();
    if (!length) {
      failure_ = length.error().in("malformed message framing");
      return *failure_;
    }
    content_length_ = *length;
    if (content_length_ && *content_length_ > limits_.read) passed_over_.emplace();
    if (content_length_ && !passed_over_) buffer_.reserve(position_ + *content_length_);
  }
  if (!content_length_) return std::optional<Frame>();
  return passed_over_ ? pass_over() : take_content();
}

Result<std::optional<std::size_t>> FrameReader::read_header() {
  const std::string_view rest = std::string_view(buffer_).substr(position_);
  const std::size_t end = rest.substr(0, kHeaderLimit).find(kHeaderEnd);
  const bool complete = end != std::string_view::npos;
  if (!complete && rest.size() >= kHeaderLimit) return Error("a header of more than 8 KB");
  if (cannot_become_header(rest.substr(0, end)))
    return Error("expected a header \"Content-Length: N\"");
  if (!complete) return std::optional<std::size_t>();
  Result<std::size_t> length =
      parse_header(rest.substr(0, end), std::max(limits_.read, limits_.passed_over));
  if (!length) return length.error();
  position_ += end + kHeaderEnd.size();
  return std::optional<std::size_t>(*length);
}

std::optional<Frame> FrameReader::take_content() {
  if (buffer_.size() - position_ < *content_length_) return std::nullopt;
  const std::size_t size = *std::exchange(content_length_, std::nullopt);
  if (size < kNotCopied) {
    position_ += size;
    return buffer_.substr(position_ - size, size);
  }
  std::string rest = buffer_.substr(position_ + size);
  buffer_.resize(position_ + size);
  buffer_.erase(0, std::exchange(position_, 0));
  return std::exchange(buffer_, std::move(rest));
}

std::optional<Frame> FrameReader::pass_over() {
  const std::string_view gone_by =
      std::string_view(buffer_).substr(position_, *content_length_ - passed_over_->bytes);
  passed_over_->outline.append(gone_by);
  passed_over_->bytes += gone_by.size();
  position_ += gone_by.size();
  if (passed_over_->bytes < *content_length_) return std::nullopt;
  content_length_.reset();
  UnreadMessage message{.bytes = passed_over_->bytes, .outline = passed_over_->outline.outline()};
  passed_over_.reset();
  return message;
}

std::string frame(std::string_view content) {
  std::string message = "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n";
  message.append(content);
  return message;
}

}  // namespace redraft::lsp
