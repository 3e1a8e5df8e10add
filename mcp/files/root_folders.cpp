#include "mcp/files/root_folders.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "support/system_error.h"
#include "support/utf8/utf8.h"
#include "workspace/documents/file_uri.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;

// `path` relative to `root`; nothing: it is not below it. Both are absolute and normal.
std::optional<std::string> below(const fs::path& path, const fs::path& root) {
  const fs::path relative = path.lexically_relative(root);
  if (relative.empty() || relative == "." || *relative.begin() == "..") return std::nullopt;
  return relative.string();
}

}  // namespace

std::shared_ptr<const RootFolders> RootFolders::open(std::span<const fs::path> paths,
                                                     std::vector<std::string>& problems) {
  std::vector<RootFolder> folders;
  for (const fs::path& path : paths) {
    std::error_code problem;
    fs::path canonical = fs::canonical(path, problem);
    if (problem) {
      problems.push_back(path.string() + ": " + problem.message());
      continue;
    }
    FileHandle folder = FileHandle::open(canonical.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!folder) {
      problems.push_back(file_error(path).message());
    } else if (std::ranges::find(folders, canonical, &RootFolder::path) == folders.end()) {
      folders.push_back({std::move(canonical), std::move(folder)});
    }
  }
  return std::shared_ptr<const RootFolders>(new RootFolders(std::move(folders)));
}

std::string RootFolders::listed() const {
  std::string text;
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    if (i > 0) text += i + 1 == folders_.size() ? " and " : ", ";
    text += folders_[i].path.string();
  }
  return text;
}

Result<FilePlace> RootFolders::find(std::string_view path) const {
  if (path.empty()) return Error("the path is empty");
  if (path.find('\0') != std::string_view::npos) return Error("the path has a NUL byte");
  if (!is_utf8(path)) return Error("the path is not UTF-8");
  if (folders_.empty()) {
    return Error(
        "there is no folder to edit in: the client names none. Start `redraft mcp --root DIR`");
  }
  if (path.starts_with("file:")) {
    const std::optional<fs::path> named = path_of_uri(path);
    if (!named) return Error(std::string(path) + ": not the URI of a file on this machine");
    return find_absolute(*named, path);
  }
  if (path.starts_with('/')) return find_absolute(fs::path(path), path);
  std::optional<FilePlace> found;
  for (const RootFolder& root : folders_) {
    Result<FilePlace> place = find_absolute(root.path / path, path);
    if (!place) continue;
    if (found && (found->root_idx != place->root_idx || found->relative != place->relative)) {
      return Error(std::string(path) + ": several of the folders " + listed() +
                   " have such a file. Give the absolute path");
    }
    found = *std::move(place);
  }
  if (found) return *std::move(found);
  return find_absolute(folders_.front().path / path, path);
}

Result<FilePlace> RootFolders::find_absolute(const fs::path& path, std::string_view named) const {
  std::error_code problem;
  const fs::path canonical = fs::canonical(path, problem);
  const fs::path& judged = problem ? path.lexically_normal() : canonical;
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    const std::optional<std::string> relative = below(judged, folders_[i].path);
    if (!relative) continue;
    if (problem) {
      return Error(std::string(named) + ": " +
                   (problem == std::errc::no_such_file_or_directory
                        ? "no such file in " + folders_[i].path.string()
                        : problem.message()));
    }
    return FilePlace{i, *relative, *relative};
  }
  return Error(std::string(named) + ": outside of the folders that may be edited (" + listed() +
               ")");
}

}  // namespace redraft::mcp
