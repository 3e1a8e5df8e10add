#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/files/glob.h"

namespace redraft {

enum class IgnoreVerdict : std::uint8_t { kNoRule, kIgnored, kKept };

// The lines of one ignore file, interpreted like git (gitignore(5)): the last line that matches
// decides. Immutable.
class IgnorePatterns {
 public:
  IgnorePatterns() = default;
  // `text` is the content of the file: any bytes, with or without a byte order mark, LF or CRLF.
  explicit IgnorePatterns(std::string_view text);

  bool empty() const { return patterns_.empty(); }
  // `path` is relative to the folder of the ignore file, without a slash at either end. Only looks
  // at `path` itself, although everything in an ignored folder is ignored too.
  IgnoreVerdict verdict(std::string_view path, bool is_folder) const;

 private:
  struct Pattern {
    Glob glob;
    bool negated;
    bool folders_only;
    bool whole_path;  // otherwise the last component has to match
  };

  void add_line(std::string_view line);

  std::vector<Pattern> patterns_;
};

// The ignore files of one folder.
struct RuleFiles {
  IgnorePatterns gitignore;      // .gitignore
  IgnorePatterns ignore;         // .ignore
  IgnorePatterns redraftignore;  // .redraftignore
  IgnorePatterns exclude;        // .git/info/exclude, if the folder is a repository
  bool is_repository = false;
};

// All rules for the entries of one folder: its own files, those of the folders above, and the
// user's. A deeper file takes precedence over one above it. .redraftignore files, at any level,
// take precedence over .ignore files, and those over git's: .gitignore, then the repository's
// exclude file, then the user's. Git's rules end at the top of a repository, even inside another
// one. Immutable and shared: folders below keep those above alive.
class FolderRules {
 public:
  // `user`: core.excludesFile; null if there is none.
  static std::shared_ptr<const FolderRules> top(RuleFiles files,
                                                std::shared_ptr<const IgnorePatterns> user);
  static std::shared_ptr<const FolderRules> below(std::shared_ptr<const FolderRules> parent,
                                                  std::string_view name, RuleFiles files);

  // For one entry of the folder. Meaningful only if no folder above is ignored.
  IgnoreVerdict verdict(std::string_view name, bool is_folder) const;

 private:
  FolderRules(std::shared_ptr<const FolderRules> parent, std::string path, RuleFiles files,
              std::shared_ptr<const IgnorePatterns> user);

  IgnoreVerdict verdict_of_git(std::string_view path, bool is_folder) const;

  std::shared_ptr<const FolderRules> parent_;  // null at the top
  // From the top to this folder: empty, or with a trailing slash.
  std::string path_;
  RuleFiles files_;
  std::shared_ptr<const IgnorePatterns> user_;
};

}  // namespace redraft
