#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// A commit's message as an instruction: its subject and first paragraph, without trailers, issue
// numbers and addresses. nullopt if it does not say what to change: fewer than three words, a
// release, a revert, a merge, a version bump, formatting, "wip".
std::optional<std::string> instruction_of(std::string_view message);

}  // namespace redraft
