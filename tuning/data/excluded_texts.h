#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/similar_texts.h"

namespace redraft {

struct ExcludedFolder {
  int files = 0;                    // whose text was added
  std::vector<std::string> others;  // that are no text, by their names
};

// Adds every text of every file below a folder: of JSON and of JSON Lines each text value by itself
// (a file that only claims to be one counts as plain text), else the whole file.
Result<ExcludedFolder> add_texts_of(const std::filesystem::path& folder, SimilarTexts& texts);

}  // namespace redraft
