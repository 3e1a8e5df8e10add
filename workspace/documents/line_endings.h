#pragma once

#include <string>
#include <string_view>

namespace redraft {

// The text as the model reads it: lines end with "\n".
std::string with_newlines(std::string_view text);

}  // namespace redraft
