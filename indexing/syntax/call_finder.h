#pragma once

#include <string_view>
#include <vector>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/signatures.h"

namespace redraft {

// Where something of that name is called, ascending, whatever it is there. Grammar::signatures and
// Grammar::scopes are not null.
std::vector<Call> find_calls(const Grammar& grammar, std::string_view text, const TSNode& root,
                             std::string_view name);

}  // namespace redraft
