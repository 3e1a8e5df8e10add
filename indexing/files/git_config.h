#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// The value that git's configuration in `text` gives `key` of `section`, both without case and
// without a subsection: the last one counts. Any text may be one; what git would refuse gives
// nothing or less. Includes are not followed.
std::optional<std::string> git_config_value(std::string_view text, std::string_view section,
                                            std::string_view key);

}  // namespace redraft
