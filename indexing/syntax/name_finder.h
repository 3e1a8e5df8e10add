// What a name means where it stands
//
// DeclaredNames knows what the text declares. Each other place is resolved outwards from where it
// stands; a member by what stands before the dot (ReceiverTypes), a named argument by what is
// called. What is not certain is a use with a doubt.
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
