#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/licences.h"
#include "tuning/data/similar_texts.h"

namespace redraft::cli {

// The licence of a project, according to the files at its top. Without one, reports that on stderr
// and returns nothing. `own`: the project is the user's own; the licence is then empty, whatever
// the files say.
std::optional<std::string> allowed_licence(bool own, const std::string& name,
                                           const Result<std::vector<NamedText>>& files);

// Adds every text below the folders of --exclude. Names files that are not text on stderr.
Result<void> exclude_texts(const std::vector<std::string>& folders, SimilarTexts& texts);

}  // namespace redraft::cli
