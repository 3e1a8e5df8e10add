#pragma once

#include <optional>
#include <string>

#include "support/result.h"
#include "workspace/edit/edit_session.h"

namespace redraft {

// Carries out `request.change` without the model, if it is certain where it belongs: the result.
// Nothing: `request` asks the model for it now, by an instruction and places of the document.
// `doubt`, which may be null, is told why, for people.
// Errors: it cannot be read, or nothing says where it belongs. Parses the document.
Result<std::optional<EditResult>> carry_out_change(EditRequest& request,
                                                   std::string* doubt = nullptr);

// That, or the rename that is all that the instruction asks for: see edit_rename.h.
Result<std::optional<EditResult>> carry_out_without_model(EditRequest& request);

// Whether that is quick enough for a thread that others wait for: neither the document nor the
// change is large.
bool is_carried_out_at_once(const EditRequest& request);

}  // namespace redraft
