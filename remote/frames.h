#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// A message between the two processes of a bridge (bridge.h): a kind (1 byte), the number of an
// exchange and the size of the payload (4 bytes each, little endian), and the payload.
struct Frame {
  enum class Kind : std::uint8_t {
    kRequest,  // method, path and body, separated by line feeds
    kCancel,   // no payload
    kHead,     // of an answer: "STATUS", or "STATUS SECONDS" of Retry-After
    kData,     // a piece of its body
    kEnd,      // no payload: the answer is complete
    kError     // why it is not complete, as a message for users
  };
  Kind kind = Kind::kEnd;
  std::uint32_t exchange = 0;
  std::string payload = {};
};

void append_frame(const Frame& frame, std::string& bytes);

// Reads frames from pieces of any size.
class FrameReader {
 public:
  static constexpr std::size_t kMaxPayload = std::size_t{64} << 20;

  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next frame; nothing while it is incomplete. An error if it cannot be a frame.
  Result<std::optional<Frame>> next();

 private:
  std::string bytes_;
};

}  // namespace redraft
