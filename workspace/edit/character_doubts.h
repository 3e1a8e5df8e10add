#pragma once

#include <string_view>
#include <vector>

#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_doubts.h"

namespace redraft {

// Characters that an edit brings and that a reader takes for something else: those that cannot be
// seen (is_hidden_character()), and names that mix Latin letters with Cyrillic or Greek ones of the
// same shape. What `before` has already, in the replaced text or as a name anywhere, raises no
// doubt. `edits` are against `before`, ascending, disjoint.
std::vector<Doubt> doubts_about_characters(std::string_view before,
                                           const std::vector<TextEdit>& edits);

}  // namespace redraft
