#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/licences.h"

namespace redraft {

// What one commit did to one file that was there before and after.
struct ChangedFile {
  std::string path;
  std::string before;  // the blobs' names
  std::string after;
};

struct CommitChange {
  std::string commit;
  std::vector<ChangedFile> files;  // regular files that were modified
  bool others = false;             // files were added, deleted, or changed their kind
};

// A repository that is not trusted, read by the `git` program. Nothing of it is run: its objects
// are listed and read (rev-list, diff-tree, cat-file), never checked out or converted; differences
// are computed here. The system's and the user's configuration are not read; of the repository's
// own, what names programs is overridden; no protocol is allowed, so that nothing is fetched; and
// names from the repository are never arguments.
class GitRepository {
 public:
  // The folder of a work tree, or a bare repository. An error if `git` finds none there.
  static Result<GitRepository> open(const std::filesystem::path& folder);

  // The commits reachable from HEAD that have one parent, newest first.
  Result<std::vector<std::string>> commits() const;
  // In the order of `commits`; what changed with regard to the parent.
  Result<std::vector<CommitChange>> changes(const std::vector<std::string>& commits) const;
  // The contents of objects by name, in order; none for one that is missing or larger than
  // `max_bytes`.
  Result<std::vector<std::optional<std::string>>> contents(const std::vector<std::string>& objects,
                                                           std::size_t max_bytes) const;
  // The licence files and package metadata at the top of HEAD.
  Result<std::vector<NamedText>> licence_files() const;

  // The last part of its folder's name.
  std::string name() const;

  // The message of a commit object.
  static std::string message_of(const std::string& commit_object);

 private:
  explicit GitRepository(std::filesystem::path folder, std::filesystem::path git_folder)
      : folder_(std::move(folder)), git_folder_(std::move(git_folder)) {}
  Result<std::string> git(const std::vector<std::string>& arguments,
                          std::string_view input = {}) const;

  std::filesystem::path folder_;
  std::filesystem::path git_folder_;
};

}  // namespace redraft
