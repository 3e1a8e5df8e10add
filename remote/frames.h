#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// What the two processes of a bridge (bridge.h) say to each other: a kind, the number of an
// exchange, the size of the payload (little endian, 4 bytes each but for the kind's one), and the
// payload.
struct Frame {
  enum class Kind : std::uint8_t {
    kRequest,  // METHOD, PATH and body, with a line feed between them
    kCancel,   // nothing
    kHead,     // of an answer: "STATUS", or "STATUS SECONDS" of Retry-After
    kData,     // a piece of its body
    kEnd,      // nothing: the answer is complete
    kError     // the reason why it is not, for people
  };
  Kind kind = Kind::kEnd;
  std::uint32_t exchange = 0;
  std::string payload = {};
};

void append_frame(const Frame& frame, std::string& bytes);

// Frames from pieces of any size.
class FrameReader {
 public:
  static constexpr std::size_t kMaxPayload = std::size_t{64} << 20;

  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next frame; none while it is not complete; an error if it cannot be one.
  Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
};

}  // namespace redraft
