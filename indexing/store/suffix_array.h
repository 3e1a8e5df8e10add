#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace redraft {

// The start positions of all suffixes of `text`, sorted; a prefix of another suffix comes first.
// Symbols are 0 to `alphabet` - 1. Takes linear time, however repetitive the text is.
std::vector<std::int32_t> suffix_array(std::span<const std::int32_t> text, std::int32_t alphabet);

}  // namespace redraft
