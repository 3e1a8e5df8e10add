#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/licences.h"
#include "tuning/data/similar_texts.h"

namespace redraft::cli {

// The licence of a project by the files at its top, or nothing, which is said on stderr. `own`: it
// is the user's own, whatever the files say; then it is empty.
std::optional<std::string> allowed_licence(bool own, const std::string& name,
                                           const Result<std::vector<NamedText>>& files);

// Adds every text below the folders of --exclude; files that are none are named on stderr.
Result<void> exclude_texts(const std::vector<std::string>& folders, SimilarTexts& texts);

}  // namespace redraft::cli
