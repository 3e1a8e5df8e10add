#pragma once

#include <string_view>
#include <vector>

#include "indexing/syntax/named_definitions.h"

namespace redraft {

// Whether the files of a language consist of sections that are found by their first lines: those of
// Markdown by headings, the rules of a Makefile by their targets.
bool has_sections(std::string_view language_id);

// The sections of a text, in the order in which they begin, as definitions: the name is the first
// line without what may change in it. A heading within a fence begins none.
std::vector<NamedDefinition> sections_of(std::string_view text, std::string_view language_id);

// Whether a line that is indented must begin with a tab, because it is the recipe of a rule.
bool has_tabs_in_sections(std::string_view language_id);

}  // namespace redraft
