#include "bench/text_format.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "support/utf8/utf8.h"

namespace redraft {
namespace {

std::string padding(const std::string& text, int width) {
  const auto columns =
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); });
  return std::string(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, width - columns)), ' ');
}

}  // namespace

std::string format(const char* pattern, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string left(const std::string& text, int width) { return text + padding(text, width); }
std::string right(const std::string& text, int width) { return padding(text, width) + text; }

}  // namespace redraft
