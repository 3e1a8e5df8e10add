#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// A message between the process that renders a template and the one that asks it to: a kind (1
// byte), the size of what follows (4 bytes, little endian), and texts, each after its size.
struct TemplateFrame {
  enum class Kind : std::uint8_t {
    kTemplate,  // to the renderer: source, begin_of_text, end_of_text
    kMessages,  // to the renderer: a role and a text for each message
    kText,      // the answer: what the template made of them; of kTemplate: no text
    kRefusal,   // the answer: why there is none
    kEnd        // the answer: why, and that the renderer has ended
  };
  Kind kind = Kind::kEnd;
  std::vector<std::string> texts = {};
};

std::string to_bytes(const TemplateFrame& frame);

// Reads frames from pieces of any size.
class TemplateFrameReader {
 public:
  static constexpr std::size_t kMaxFrame = std::size_t{64} << 20;  // bytes
  // The most texts of a frame of messages. A template has three; an answer has at most one.
  static constexpr std::size_t kMaxMessageTexts = std::size_t{1} << 16;

  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next frame; nothing while it is incomplete. An error if it cannot be a frame.
  Result<std::optional<TemplateFrame>> next();

 private:
  std::string bytes_;
};

}  // namespace redraft
