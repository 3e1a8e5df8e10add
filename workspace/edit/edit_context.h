#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workspace/documents/edit_region.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {

// Of code, about.
inline constexpr double kBytesPerToken = 3.4;

// PromptLimits in bytes: of the file around the region that is edited, and of the largest region
// around a cursor.
std::size_t edit_context_bytes(PromptSize size);
std::size_t edit_region_bytes(PromptSize size);
// A smaller file is edited as a whole with any size, and no size has a larger region.
std::size_t min_edit_region_bytes();
std::size_t max_edit_region_bytes();

// What the model is shown of a file besides the region, with "\n" endings. A line "..." marks
// omitted lines.
struct EditContext {
  // Imports, and the first lines of definitions. Does not depend on the region, so that prompts for
  // different regions of a file begin with the same tokens.
  std::string overview;
  // What the region builds on, and the lines nearest to it: those before and after it.
  std::string before, after;
};

// EditContext::overview, as it is shown of a file that does not fit. Parses the document; empty
// where that is not possible.
std::string file_overview(const Document& document, std::size_t max_bytes);

// All of the file if it has at most `max_bytes` besides the region. Otherwise an overview of at
// most `overview_bytes`, and of what is left of `max_bytes` the definitions of `names` and of those
// in the region, and the lines around it.
EditContext edit_context(const EditRegion& region, std::size_t max_bytes,
                         std::size_t overview_bytes, const std::vector<std::string>& names = {});

}  // namespace redraft
