#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decoding/replacement.h"

namespace redraft {

// What an instruction says is to be replaced by what ("rename `count` to `total`, n to size", "use
// a deque instead of list", "foo -> bar"), if `text` has the first as a whole word; the order is
// the instruction's. Only a hint for drafts: reading it wrong changes no output.
std::vector<Replacement> replacements_in(std::string_view instruction, std::string_view text);

}  // namespace redraft
