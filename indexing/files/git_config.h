#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// The value that git's configuration in `text` gives `key` of `section`, which has no subsection;
// case does not matter, and the last value counts. Accepts any text; from one that git would refuse
// it reads nothing or a part. Includes are not followed.
std::optional<std::string> git_config_value(std::string_view text, std::string_view section,
                                            std::string_view key);

}  // namespace redraft
