#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace redraft {

// The begins of all suffixes of `text` in their order, a beginning of another suffix first. Symbols
// are 0 to `alphabet` - 1. Takes time in proportion to the text, whatever it repeats.
std::vector<std::int32_t> suffix_array(std::span<const std::int32_t> text, std::int32_t alphabet);

}  // namespace redraft
