#pragma once

#include <optional>
#include <string>

#include "indexing/syntax/name_uses.h"
#include "workspace/edit/edit_decision.h"

namespace redraft {

// The rename, if `request.instruction` asks for another name and nothing else, and the syntax tree
// resolves the old name. With a cursor, that is what the cursor is on, or what is declared closest
// around it. Without a cursor, it is every variable, function and type of the file with that name.
// An uncertain use is an edit with a doubt. With a selection, only its lines change, and uses
// outside of it are a doubt.
// Nothing: the model has to answer. Parses the document.
std::optional<Rename> find_rename(const EditRequest& request);

// What stands at a use after `from` is renamed to `to`.
std::string written_use(const NameUse& use, const std::string& from, const std::string& to);

}  // namespace redraft
