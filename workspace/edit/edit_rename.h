#pragma once

#include <optional>

#include "support/result.h"
#include "workspace/edit/edit_session.h"

namespace redraft {

// Carries out `request.instruction` if it asks for another name and for nothing else, and the
// syntax tree tells what has the name. It is what the cursor stands on, else what is declared
// closest around; of a file without a cursor all variables, functions and types of that name.
// Uses that are not certain are edits with a doubt. With a selection only its lines change, and
// what is left outside is a doubt.
// Nothing: the model is to be asked. Parses the document.
std::optional<EditResult> carry_out_rename(const EditRequest& request);

// An error if the instruction renames something of the document to a reserved word of its language.
// Parses the document only if the new name is one.
Result<void> check_new_names(const EditRequest& request);

}  // namespace redraft
