#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redraft {

// What the three kinds of files of a store begin with. The number at the end counts how often the
// format of such a file has changed.
inline constexpr std::string_view kManifestMagic = "RDRMAN01";
inline constexpr std::string_view kChangesMagic = "RDRCHG01";
inline constexpr std::string_view kSegmentMagic = "RDRSEG02";

// As it stands in a file, on a machine whose first byte is the lowest.
constexpr std::uint64_t magic_number(std::string_view magic) {
  std::uint64_t number = 0;
  for (std::size_t i = magic.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(magic[i]);
  return number;
}

// Two builds can use the same store if this is the same text: the numbers of the three.
inline std::string store_format(std::string_view manifest = kManifestMagic,
                                std::string_view changes = kChangesMagic,
                                std::string_view segment = kSegmentMagic) {
  std::string format;
  for (const std::string_view magic : {manifest, changes, segment})
    format += magic.substr(magic.size() - 2);
  return format;
}

}  // namespace redraft
