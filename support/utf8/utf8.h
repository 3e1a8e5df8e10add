#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace redraft {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Where `text` stops being UTF-8 (RFC 3629: no surrogates, no over-long forms, nothing above
// U+10FFFF), or none.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// Whether all of `text` is. Unless it is `complete`, its last character may be cut.
bool is_utf8(std::string_view text, bool complete = true);

// `text` with U+FFFD for every byte that is not part of valid UTF-8 and for NUL.
std::string with_replacement_characters(std::string_view text);

}  // namespace redraft
