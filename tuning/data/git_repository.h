#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/licences.h"

namespace redraft {

// The change of one commit to one file that existed before and after.
struct ChangedFile {
  std::string path;
  std::string before;  // names of the blobs
  std::string after;
};

struct CommitChange {
  std::string commit;
  std::vector<ChangedFile> files;  // regular files that were modified
  bool others = false;             // files were added, deleted, or changed their type
};

// An untrusted repository, read by the `git` program. Nothing in it is executed: its objects are
// listed and read (rev-list, diff-tree, cat-file), never checked out or converted; differences are
// computed here. The system's and the user's configuration are not read. Settings of the repository
// that name programs are overridden. No protocol is allowed, so nothing is fetched. Names from the
// repository are never arguments.
class GitRepository {
 public:
  // The folder of a work tree, or a bare repository. Fails if `git` finds no repository there.
  static Result<GitRepository> open(const std::filesystem::path& folder);

  // The commits reachable from HEAD that have one parent, newest first.
  Result<std::vector<std::string>> commits() const;
  // In the order of `commits`: the changes relative to the parent.
  Result<std::vector<CommitChange>> changes(const std::vector<std::string>& commits) const;
  // The contents of objects by name, in order; nullopt for an object that is missing or larger than
  // `max_bytes`.
  Result<std::vector<std::optional<std::string>>> contents(const std::vector<std::string>& objects,
                                                           std::size_t max_bytes) const;
  // The licence files and package metadata at the top of HEAD.
  Result<std::vector<NamedText>> licence_files() const;

  // The last component of its folder's path.
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
