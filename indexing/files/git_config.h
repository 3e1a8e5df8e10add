#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// The value of `key` in `section`, which has no subsection, in the git configuration `text`. Case
// does not matter, and the last value counts. Accepts any text; from one that git would reject it
// reads nothing or a part. Does not follow includes.
std::optional<std::string> git_config_value(std::string_view text, std::string_view section,
                                            std::string_view key);

}  // namespace redraft
