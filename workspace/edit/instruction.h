#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decoding/replacement.h"

namespace redraft {

// The replacements that an instruction names ("rename `count` to `total`, n to size", "use a deque
// instead of list", "foo -> bar"), if `text` has the old name as a whole word; in the instruction's
// order. Only a hint for drafts: misreading it never changes the output.
std::vector<Replacement> replacements_in(std::string_view instruction, std::string_view text);

}  // namespace redraft
