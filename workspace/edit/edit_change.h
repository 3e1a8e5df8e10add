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

// A change of a document that is larger takes longer to place than a user of the same thread waits.
inline constexpr std::size_t kPlacedAtOnceBytes = std::size_t{512} << 10;

}  // namespace redraft
