#pragma once

#include <string_view>
#include <vector>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/signatures.h"

namespace redraft {

// Of a grammar whose Grammar::signatures and Grammar::scopes are not null.

// All functions with a name whose parameters make sense, in the order in which they begin.
std::vector<Signature> find_signatures(const Grammar& grammar, std::string_view text,
                                       const TSNode& root);

// Where something of that name is called, ascending, whatever it is there.
std::vector<Call> find_calls(const Grammar& grammar, std::string_view text, const TSNode& root,
                             std::string_view name);

}  // namespace redraft
