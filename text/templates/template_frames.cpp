#include "text/templates/template_frames.h"

#include <utility>

namespace redraft {
namespace {

constexpr std::size_t kNumber = 4;  // bytes

void append_number(std::size_t number, std::string& bytes) {
  for (std::size_t i = 0; i < kNumber; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

std::size_t number_at(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = kNumber; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

// The most texts that a frame of this kind may have: an empty one takes few bytes of a frame, but
// many of memory.
std::size_t max_texts(TemplateFrame::Kind kind) {
  switch (kind) {
    case TemplateFrame::Kind::kTemplate:
      return 3;
    case TemplateFrame::Kind::kMessages:
      return TemplateFrameReader::kMaxMessageTexts;
    case TemplateFrame::Kind::kText:
    case TemplateFrame::Kind::kRefusal:
    case TemplateFrame::Kind::kEnd:
      break;
  }
  return 1;
}

std::optional<std::vector<std::string>> read_texts(std::string_view bytes, std::size_t most) {
  std::vector<std::string> texts;
  while (!bytes.empty()) {
    if (bytes.size() < kNumber || texts.size() == most) return std::nullopt;
    const std::size_t size = number_at(bytes);
    bytes.remove_prefix(kNumber);
    if (size > bytes.size()) return std::nullopt;
    texts.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return texts;
}

}  // namespace

std::string to_bytes(const TemplateFrame& frame) {
  std::string texts;
  for (const std::string& text : frame.texts) {
    append_number(text.size(), texts);
    texts += text;
  }
  std::string bytes(1, static_cast<char>(frame.kind));
  append_number(texts.size(), bytes);
  return bytes + texts;
}

Result<std::optional<TemplateFrame>> TemplateFrameReader::next() {
  constexpr std::size_t kHead = 1 + kNumber;
  if (bytes_.size() < kHead) return std::optional<TemplateFrame>();
  const auto number = static_cast<unsigned char>(bytes_[0]);
  const std::size_t size = number_at(std::string_view(bytes_).substr(1));
  if (number > static_cast<unsigned char>(TemplateFrame::Kind::kEnd) || size > kMaxFrame)
    return Error("received data that is not a frame");
  if (bytes_.size() < kHead + size) return std::optional<TemplateFrame>();
  const auto kind = static_cast<TemplateFrame::Kind>(number);
  auto texts = read_texts(std::string_view(bytes_).substr(kHead, size), max_texts(kind));
  if (!texts) return Error("received data that is not a frame");
  bytes_.erase(0, kHead + size);
  return std::optional(TemplateFrame{kind, std::move(*texts)});
}

}  // namespace redraft
