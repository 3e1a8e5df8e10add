#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "indexing/workspace_index.h"
#include "support/result.h"

namespace redraft::cli {

// The index of these folders for the target's tokenizer (the model's weights are not read), with
// the user's ignore rules and as many threads as `common` says. See open_index().
Result<std::unique_ptr<WorkspaceIndex>> load_index(
    const CommonOptions& common, const std::vector<std::filesystem::path>& folders,
    IndexOptions options, std::string& message);

}  // namespace redraft::cli
