#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"
#include "workspace/documents/change_history.h"
#include "workspace/next_edit/edit_format.h"
#include "workspace/next_edit/next_edit_prompt.h"
#include "workspace/next_edit/next_place.h"

namespace redraft {

// The prompt in a model's format about a place: the cursor is where the line that may have to
// follow begins. Paths are shown relative to the folder that they are in, of `folders`.
Result<NextEditPrompt> prompt_about(const NextPlace& place, const std::vector<RecentChange>& recent,
                                    const std::vector<std::filesystem::path>& folders,
                                    const NextEditFormat& format);

}  // namespace redraft
