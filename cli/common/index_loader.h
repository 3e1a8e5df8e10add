#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/one_vocabulary.h"
#include "cli/common/status_line.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/workspace_index.h"
#include "support/result.h"

namespace redraft::cli {

// Code to draft from.
struct CodeFolders {
  std::vector<std::string> repository;
  std::vector<std::string> common;  // other projects
  // Whether packages installed in `repository` count as common code too.
  bool dependencies = false;
};
// An error if one of them is not a folder.
Result<void> check(const CodeFolders& folders);
// The folders of other projects: the named ones and, if requested, those of installed packages.
std::vector<std::filesystem::path> common_folders(const CodeFolders& folders);

// Adds the options for code folders to a command that decodes.
void add_code_options(CommandLine command, CodeFolders& folders);

struct Datastores {
  std::shared_ptr<const IndexSnapshot> repository, common;  // null if there is none
};
// Their indexes, brought up to date. The repository's index excludes the file `without`.
Result<Datastores> load_datastores(const CommonOptions& common, const CodeFolders& folders,
                                   const std::filesystem::path& without, StatusLine& status,
                                   const std::stop_token& stop);

// Options for common code, which includes the packages installed in it.
inline const IndexOptions kCommonCode{.scan = {.dependencies = true}};

// The index of these folders for the target's tokenizer (without reading the model's weights), with
// the user's ignore rules and the number of threads in `common`. See open_index(). If `vocabulary`
// is given, the tokenizer must have that vocabulary.
Result<std::unique_ptr<WorkspaceIndex>> load_index(
    const CommonOptions& common, const std::vector<std::filesystem::path>& folders,
    const IndexOptions& options, std::string& message, OneVocabulary* vocabulary = nullptr);

// Reads new files, merges segments and saves everything; if stopped, what was read so far. The
// error says why saving failed; everything else is done.
Result<void> update_index(WorkspaceIndex& index, StatusLine& status, const std::stop_token& stop,
                          RefreshReport& report);

std::string megabytes(std::uint64_t bytes);

}  // namespace redraft::cli
