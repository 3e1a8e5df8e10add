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

// The prompt about a place in a model's format: the cursor is at the beginning of the line that may
// have to change. Paths are shown relative to the one of `folders` that contains them.
Result<NextEditPrompt> prompt_about(const NextPlace& place, const std::vector<RecentChange>& recent,
                                    const std::vector<std::filesystem::path>& folders,
                                    const NextEditFormat& format);

}  // namespace redraft
