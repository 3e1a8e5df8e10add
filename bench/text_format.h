#pragma once

#include <string>

namespace redraft {

// Like printf; at most 255 bytes.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// Pads `text` to `width` terminal columns; every UTF-8 character counts as one column. A longer
// text is not cut.
std::string left(const std::string& text, int width);
std::string right(const std::string& text, int width);

}  // namespace redraft
