#pragma once

#include <optional>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/instruction.h"

namespace redraft {

using Things = std::vector<const NamedThing*>;

// A variable of a function or a parameter.
bool is_local(const NamedThing* thing);

// Whether `wish` may mean the thing, which has the old name.
bool is_meant(const NamedThing& thing, const RenameWish& wish);

// Whether the request is for the whole file.
bool is_of_file(const EditRequest& request);

// The cursor, or the place of the name if exactly that is selected. Nothing: lines are selected, or
// there is no range.
std::optional<std::size_t> cursor_of(const EditRequest& request, const RenameWish& wish);

// The things that `wish` means where the cursor is, or in the lines of the request. Empty: that is
// not certain.
Things chosen_things(const EditRequest& request, const RenameWish& wish,
                     const NameMeanings& meanings);

}  // namespace redraft
