#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/similar_texts.h"

namespace redraft {

struct ExcludedFolder {
  int files = 0;                    // whose text was added
  std::vector<std::string> others;  // names of files that are not text
};

// Adds the texts of every file below a folder. In JSON and JSON Lines each string value is a text
// (a file that is not valid JSON counts as plain text); otherwise the whole file is one.
Result<ExcludedFolder> add_texts_of(const std::filesystem::path& folder, SimilarTexts& texts);

}  // namespace redraft
