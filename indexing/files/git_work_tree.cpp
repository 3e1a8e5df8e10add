// Git's layout, gitrepository-layout(5): the main work tree has a folder `.git`, or a file `.git`
// that names such a folder elsewhere (a submodule). A linked work tree has a file `.git` that names
// COMMON/worktrees/NAME, where a file `commondir` names COMMON.
#include "indexing/files/git_work_tree.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include "indexing/files/file_handle.h"
#include "indexing/files/git_config.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxConfigBytes = 1 << 20;

// The part after `key` of the only line of the file `name`.
std::optional<std::string> read_line_after(int at, const std::string& name, std::string_view key) {
  std::optional<std::string> text = read_small_file(at, name, true, kMaxPathBytes);
  if (!text || !text->starts_with(key)) return std::nullopt;
  text->erase(0, key.size());
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  return text;
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : real;
}

bool contains(const fs::path& folder, const fs::path& path) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

// A value of the main work tree's configuration.
std::optional<std::string> config_value(const fs::path& common, std::string_view key) {
  for (const char* name : {"config.worktree", "config"}) {
    const auto text = read_small_file(AT_FDCWD, common / name, true, kMaxConfigBytes);
    if (auto value = text ? git_config_value(*text, "core", key) : std::nullopt) return value;
  }
  return std::nullopt;
}

bool is_bare(const fs::path& common) {
  constexpr std::array<std::string_view, 4> kTrue = {"true", "yes", "on", "1"};
  const std::optional<std::string> value = config_value(common, "bare");
  return value && std::ranges::find(kTrue, *value) != kTrue.end();
}

// The main work tree of the repository with this common folder, if the repository says where it is.
std::optional<fs::path> main_work_tree(const fs::path& common) {
  if (is_bare(common)) return std::nullopt;
  if (const auto named = config_value(common, "worktree")) return resolved(common / *named);
  if (common.filename() != ".git") return std::nullopt;
  return common.parent_path();
}

struct PlacedTree {
  fs::path top;
  fs::path common;  // resolved
  bool is_linked = false;
};

std::optional<PlacedTree> placed_tree_at(const fs::path& folder) {
  const FileHandle handle = open_folder(AT_FDCWD, folder);
  const auto tree = handle ? git_work_tree_at(handle.get(), folder) : std::nullopt;
  if (!tree) return std::nullopt;
  return PlacedTree{folder, resolved(folder / tree->common), tree->is_linked};
}

std::optional<PlacedTree> tree_around(const fs::path& file) {
  for (fs::path at = file; at.has_relative_path();) {
    at = at.parent_path();
    if (auto tree = placed_tree_at(at)) return tree;
  }
  return std::nullopt;
}

}  // namespace

std::optional<GitWorkTree> git_work_tree_at(int folder, const fs::path& path) {
  const std::optional<struct stat> git = stat_entry(folder, ".git");
  if (!git) return std::nullopt;
  if (S_ISDIR(git->st_mode)) {
    if (!stat_entry(folder, ".git/HEAD")) return std::nullopt;  // an empty folder: no repository
    return GitWorkTree{".git"};
  }
  const std::optional<std::string> named = read_line_after(folder, ".git", "gitdir: ");
  if (!named) return std::nullopt;
  const fs::path own = path / *named;
  if (const auto common = read_line_after(AT_FDCWD, own / "commondir", ""))
    return GitWorkTree{own / *common, true};
  // Git writes the file `gitdir` first, and `commondir` last. If there is nothing, the repository
  // was moved, or this folder comes from another machine.
  std::error_code error;
  if (own.parent_path().filename() == "worktrees" &&
      (fs::exists(own / "gitdir", error) || !fs::exists(own, error)))
    return GitWorkTree{own.parent_path().parent_path(), true};
  return GitWorkTree{own};
}

bool is_second_copy(const fs::path& folder, const GitWorkTree& tree,
                    std::span<const fs::path> roots) {
  if (!tree.is_linked) return false;
  const fs::path place = resolved(folder);
  const fs::path common = resolved(place / tree.common);
  std::error_code error;
  const bool is_broken = !fs::exists(common, error);
  for (auto around = tree_around(place); around; around = tree_around(around->top)) {
    if ((is_broken || around->common == common) && (around->is_linked || !is_bare(around->common)))
      return true;
  }
  const std::optional<fs::path> main = main_work_tree(common);
  if (is_broken || !main || !fs::is_directory(*main, error)) return false;
  return std::ranges::any_of(roots,
                             [&](const fs::path& root) { return contains(resolved(root), *main); });
}

bool are_in_two_work_trees(const fs::path& file, const fs::path& other) {
  const std::optional<PlacedTree> one = tree_around(resolved(file));
  const std::optional<PlacedTree> two = one ? tree_around(resolved(other)) : std::nullopt;
  return two && one->top != two->top && one->common == two->common;
}

}  // namespace redraft
