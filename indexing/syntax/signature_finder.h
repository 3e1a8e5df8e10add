#pragma once

#include <string_view>
#include <vector>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/signatures.h"

namespace redraft {

// All functions with a name whose parameters make sense, in the order in which they begin.
// Grammar::signatures and Grammar::scopes are not null.
std::vector<Signature> find_signatures(const Grammar& grammar, std::string_view text,
                                       const TSNode& root);

}  // namespace redraft
