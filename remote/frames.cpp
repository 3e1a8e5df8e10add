#include "remote/frames.h"

namespace redraft {
namespace {

constexpr std::size_t kHeader = 9;

void append_number(std::uint32_t number, std::string& bytes) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

}  // namespace

void append_frame(const Frame& frame, std::string& bytes) {
  bytes += static_cast<char>(frame.kind);
  append_number(frame.exchange, bytes);
  append_number(static_cast<std::uint32_t>(frame.payload.size()), bytes);
  bytes += frame.payload;
}

Result<std::optional<Frame>> FrameReader::next() {
  if (bytes_.size() < kHeader) return std::optional<Frame>();
  const auto kind = static_cast<unsigned char>(bytes_[0]);
  const std::size_t size = number_at(bytes_, 5);
  if (kind > static_cast<unsigned char>(Frame::Kind::kError) || size > kMaxPayload)
    return Error("received data that is not a frame");
  if (bytes_.size() < kHeader + size) return std::optional<Frame>();
  Frame frame{static_cast<Frame::Kind>(kind), number_at(bytes_, 1), bytes_.substr(kHeader, size)};
  bytes_.erase(0, kHeader + size);
  return std::optional(std::move(frame));
}

}  // namespace redraft
