#pragma once

#include <map>
#include <vector>

namespace redraft {

using PaperValues = std::vector<std::vector<double>>;

// By the number of the table; a line a category, and one for their average.
extern const std::map<int, PaperValues> kCopySpecByCategory;
extern const std::map<int, PaperValues> kCopySpecWithDrafts;

}  // namespace redraft
