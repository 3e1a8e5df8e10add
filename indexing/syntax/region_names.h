#pragma once

#include <string>
#include <string_view>

#include "indexing/syntax/region_chain.h"
#include "languages/definition_types.h"

namespace redraft {

// "class FTP", "method putcmd", "struct": a definition for people. `name` may be empty.
std::string title_of(const DefinitionType& type, std::string_view name, bool is_member);

// The name of a region that is no definition. `around`: the title of the definition that it is
// part of; empty: of none. `several`: it is a run of units. `of_code`: not of data or markup.
std::string name_of_region(RegionKind kind, std::string_view around, bool several, bool of_code);

}  // namespace redraft
