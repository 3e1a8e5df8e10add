#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// A commit's message as an instruction: its subject and first paragraph, without trailers, numbers
// of issues and addresses. None if it does not say what to change: fewer than three words, a
// release, a revert, a merge, a bump of versions, formatting, "wip".
std::optional<std::string> instruction_of(std::string_view message);

}  // namespace redraft
