// A file that an agent may edit, and why it is opened twice.
//
// Between the reading and the writing of a file, another program can replace the file, one of its
// folders or a link, and the client can name other roots. So a file is opened by descriptor before
// it is read, and its place is resolved, opened and compared again just before it is replaced:
//
//   open     resolve links, open below the root without links, judge name and text
//   ...      the change is placed
//   replace  the same again with the roots of that moment: the same folder, file and text?
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mcp/files/root_folders.h"
#include "support/files/file_handle.h"
#include "support/result.h"
#include "workspace/documents/document.h"

namespace redraft::mcp {

// Which files may be edited besides those of a workspace's index.
struct FilePermission {
  // Files that an ignore file excludes, dependencies and generated files. Never secrets.
  bool ignored = false;
};

class PermittedFile {
 public:
  // Opens and reads a file below one of the roots. Errors, for an agent: no such file, outside of
  // the roots, a secret by its name or its text, version control's own, ignored, not text.
  static Result<PermittedFile> open(const std::shared_ptr<const RootFolders>& roots,
                                    std::string_view path, const FilePermission& permission);

  // Relative to its root.
  const std::string& shown() const { return place_.shown; }
  std::filesystem::path path() const {
    return roots_->folders()[place_.root_idx].path / place_.relative;
  }
  // Its URI is shown().
  const std::shared_ptr<const Document>& document() const { return document_; }
  bool is_same_file(const PermittedFile& other) const {
    return device_ == other.device_ && inode_ == other.inode_;
  }

  // Writes `text` in place of what was read, atomically if the file allows it (replace_text()). An
  // error, and nothing is written, if the file is not below `roots` any more, or if its path, the
  // file or its text changed meanwhile. Returns a note for people, or an empty text.
  Result<std::string> replace(const std::shared_ptr<const RootFolders>& roots,
                              std::string_view text) const;

 private:
  struct Opened;
  static Result<Opened> open_place(const RootFolders& roots, const FilePlace& place);
  PermittedFile() = default;

  std::shared_ptr<const RootFolders> roots_;
  std::string named_;  // as the agent did
  FilePlace place_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::shared_ptr<const Document> document_;
};

}  // namespace redraft::mcp
