#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/status_line.h"
#include "indexing/workspace_index.h"
#include "support/result.h"

namespace redraft::cli {

// The index of these folders for the target's tokenizer (the model's weights are not read), with
// the user's ignore rules and as many threads as `common` says. See open_index().
Result<std::unique_ptr<WorkspaceIndex>> load_index(
    const CommonOptions& common, const std::vector<std::filesystem::path>& folders,
    IndexOptions options, std::string& message);

// Reads what is new, brings segments together and saves it all; when stopped, what was read so far.
// The error says why it is not saved: everything else is done.
Result<void> update_index(WorkspaceIndex& index, StatusLine& status, const std::stop_token& stop,
                          RefreshReport& report);

std::string megabytes(std::uint64_t bytes);

}  // namespace redraft::cli
