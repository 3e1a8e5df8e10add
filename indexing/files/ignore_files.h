#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "indexing/files/ignore_rules.h"

namespace redraft {

// The file in which git looks for the user's own rules: core.excludesFile of the user's
// configuration, otherwise $XDG_CONFIG_HOME/git/ignore or ~/.config/git/ignore. Empty if there is
// none.
std::filesystem::path user_ignore_file();

// Whether a change of an entry with this name changes the rules.
bool is_ignore_file(std::string_view name);

// Receives problems for the user: an ignore file that exists but cannot be read.
using IgnoreProblem = std::function<void(const std::string& message)>;

// The rules of a walk's root; `folder` is an open descriptor of it. They are the root's own ignore
// files and, if the root is within a repository, those of the folders above it up to the
// repository's top. Rules that exclude the root itself do not count, because the root was named
// explicitly. Ignore files are never read through links, and have at most 1 MiB.
std::shared_ptr<const FolderRules> rules_of_root(const std::filesystem::path& root, int folder,
                                                 const std::filesystem::path& user_ignore_file,
                                                 const IgnoreProblem& problem);

// The rules of the folder `name` below `parent`; `folder` is an open descriptor of it.
std::shared_ptr<const FolderRules> rules_below(std::shared_ptr<const FolderRules> parent,
                                               std::string_view name, int folder,
                                               const IgnoreProblem& problem);

}  // namespace redraft
