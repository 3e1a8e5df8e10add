#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "indexing/files/ignore_rules.h"

namespace redraft {

// Where git looks for the user's own rules: core.excludesFile of the user's configuration, else
// $XDG_CONFIG_HOME/git/ignore or ~/.config/git/ignore. Empty if there is no such place.
std::filesystem::path user_ignore_file();

// Whether an entry of this name changes the rules when it changes.
bool is_ignore_file(std::string_view name);

// Called with what a user should know: an ignore file that is there but cannot be read.
using IgnoreProblem = std::function<void(const std::string& message)>;

// The rules of a walk's root, which `folder` is an open descriptor of: the root's own ignore files,
// and, if it lies within a repository, those of the folders above it up to the repository's top.
// What those say about the root itself does not count: somebody asked for it. Ignore files are
// never read through links, and at most 1 MiB long.
std::shared_ptr<const FolderRules> rules_of_root(const std::filesystem::path& root, int folder,
                                                 const std::filesystem::path& user_ignore_file,
                                                 const IgnoreProblem& problem);

// The rules of the folder `name`, which `folder` is an open descriptor of, below `parent`.
std::shared_ptr<const FolderRules> rules_below(std::shared_ptr<const FolderRules> parent,
                                               std::string_view name, int folder,
                                               const IgnoreProblem& problem);

}  // namespace redraft
