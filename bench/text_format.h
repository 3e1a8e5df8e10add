#pragma once

#include <string>

namespace redraft {

// As printf; at most 255 bytes.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// `text` in a field of `width` terminal columns; UTF-8 counts by its characters, which are all
// taken to be one column wide. A longer text is not cut.
std::string left(const std::string& text, int width);
std::string right(const std::string& text, int width);

}  // namespace redraft
