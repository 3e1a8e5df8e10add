#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace redraft {

// A safetensors file from the header of one up to a zero byte, followed by its data: with the
// header's length in front, so that mutation works on the content.
inline std::vector<std::uint8_t> with_length(std::span<const std::uint8_t> bytes) {
  const auto zero = static_cast<std::size_t>(std::ranges::find(bytes, 0) - bytes.begin());
  const std::span header = bytes.first(zero);
  const std::span data = bytes.subspan(std::min(zero + 1, bytes.size()));
  const std::uint64_t length = header.size();
  std::vector<std::uint8_t> out(sizeof(length) + header.size() + data.size());
  std::memcpy(out.data(), &length, sizeof(length));
  const auto end = std::ranges::copy(header, out.begin() + sizeof(length)).out;
  std::ranges::copy(data, end);
  return out;
}

}  // namespace redraft
