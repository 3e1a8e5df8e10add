#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::mcp {

// A folder in which an agent may edit files.
struct RootFolder {
  std::filesystem::path path;  // absolute, without links
  FileHandle folder;           // O_PATH
};

// A file below a root: where it was when its path was resolved. Only RootFolders makes it.
struct FilePlace {
  std::size_t root_idx = 0;
  std::string relative;  // to the root, with slashes, without links
  std::string shown;     // as messages name it: as the agent did, relative to the root if it is
};

// The folders in which an agent may edit files, at one time. Immutable.
class RootFolders {
 public:
  // Opens each folder. One that cannot be opened is left out, and `problems` says why.
  static std::shared_ptr<const RootFolders> open(std::span<const std::filesystem::path> paths,
                                                 std::vector<std::string>& problems);

  std::span<const RootFolder> folders() const { return folders_; }
  bool empty() const { return folders_.empty(); }
  // "DIR" or "DIR and DIR", for messages.
  std::string listed() const;

  // Where a file is that an agent names: by an absolute path, a file: URI, or a path relative to a
  // root. Links and ".." may lead through the roots, but not out of them. The path may mean
  // something else a moment later, so the file is then opened by open_beneath(). The error says
  // which folders are allowed; it does not say whether a file outside of them exists.
  Result<FilePlace> find(std::string_view path) const;

 private:
  explicit RootFolders(std::vector<RootFolder> folders) : folders_(std::move(folders)) {}
  Result<FilePlace> find_absolute(const std::filesystem::path& path, std::string_view named) const;

  std::vector<RootFolder> folders_;
};

}  // namespace redraft::mcp
