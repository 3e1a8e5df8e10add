// What a name means where it stands
//
// 1. find_places() goes through the text for the name and tells from the nodes around each place
//    what it is there: a declaration, a reference, a member after a dot, ... (ScopeTypes).
// 2. Each declaration makes a NamedThing, known in its scope: a function, a block, a type, the
//    file. Members are things of their type, wherever that is continued; methods that override
//    each other are one.
// 3. Each reference is resolved outwards from where it stands; a member by what stands before the
//    dot. What is not certain is a use with a doubt.
#pragma once

#include <string_view>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/name_uses.h"

namespace redraft {

// What `name` means where it stands in the text, by the scopes of the grammar's language, whose
// Grammar::scopes is not null.
NameMeanings find_meanings(const Grammar& grammar, std::string_view text, const TSNode& root,
                           std::string_view name);

}  // namespace redraft
