#pragma once

#include <string_view>

namespace redraft {

// Whether `text` is UTF-8 (RFC 3629: no surrogates, no over-long forms, nothing above U+10FFFF).
// Unless it is `complete`, its last character may be cut.
bool is_utf8(std::string_view text, bool complete = true);

}  // namespace redraft
