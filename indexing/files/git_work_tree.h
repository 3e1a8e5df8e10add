#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace redraft {

// The repository to which the files below a folder with an entry `.git` belong.
struct GitWorkTree {
  // The folder with info/exclude, which all work trees of the repository share. Usually ".git",
  // relative to the work tree; otherwise the path as the files of the repository name it.
  std::string common;
  bool is_linked = false;  // `git worktree add` made it; otherwise it is the main work tree
};

// The work tree whose top is this folder: `folder` is an open descriptor of it, `path` its path.
// nullopt: none.
std::optional<GitWorkTree> git_work_tree_at(int folder, const std::filesystem::path& path);

// Whether the folder, a linked work tree, has a second copy of code that a walk of `roots` visits:
// if another work tree of its repository contains it, or if the main one is within a root. A bare
// repository has no main work tree. A submodule is no linked work tree.
bool is_second_copy(const std::filesystem::path& folder, const GitWorkTree& tree,
                    std::span<const std::filesystem::path> roots);

// Whether the two files are in different work trees of one repository, and therefore two versions
// of the same code.
bool are_in_two_work_trees(const std::filesystem::path& file, const std::filesystem::path& other);

}  // namespace redraft
