#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redraft {

// The beginnings of the three kinds of files of a store. The number at the end counts the changes
// of that file's format.
inline constexpr std::string_view kManifestMagic = "RDRMAN01";
inline constexpr std::string_view kChangesMagic = "RDRCHG01";
inline constexpr std::string_view kSegmentMagic = "RDRSEG02";

// The number as it stands in a file on a little-endian machine.
constexpr std::uint64_t magic_number(std::string_view magic) {
  std::uint64_t number = 0;
  for (std::size_t i = magic.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(magic[i]);
  return number;
}

// Two builds can use the same store if this text is the same: the format numbers of the three kinds
// of files.
inline std::string store_format(std::string_view manifest = kManifestMagic,
                                std::string_view changes = kChangesMagic,
                                std::string_view segment = kSegmentMagic) {
  std::string format;
  for (const std::string_view magic : {manifest, changes, segment})
    format += magic.substr(magic.size() - 2);
  return format;
}

}  // namespace redraft
