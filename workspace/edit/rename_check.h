#pragma once

#include <string>
#include <string_view>

#include "support/result.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/instruction.h"

namespace redraft {

// An error if the instruction only renames, and renames a name that is nowhere in the document (or
// in the selected lines), or renames something of the document to what cannot be its name: a
// reserved word of the language, or "2x". Whoever answers the request, the model included, could
// only do something else. Parses the document if the new name is not usual.
Result<void> check_names(const EditRequest& request);

// Whether names in a language with that id may be `name`: "r#type" in Rust.
bool is_name_in(std::string_view language, std::string_view name);

}  // namespace redraft
