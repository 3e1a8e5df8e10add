#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/files/glob.h"

namespace redraft {

enum class IgnoreVerdict : std::uint8_t { kNoRule, kIgnored, kKept };

// The lines of one ignore file, with git's meaning (gitignore(5)): the last line that matches
// decides. Immutable.
class IgnorePatterns {
 public:
  IgnorePatterns() = default;
  // `text` is the file as it is: any bytes, with or without a byte order mark, LF or CRLF.
  explicit IgnorePatterns(std::string_view text);

  bool empty() const { return patterns_.empty(); }
  // `path` is relative to the folder that the file speaks about, without a slash at either end.
  // Says nothing about the folders above `path`: what lies in an ignored folder is ignored too.
  IgnoreVerdict verdict(std::string_view path, bool is_folder) const;

 private:
  struct Pattern {
    Glob glob;
    bool negated;
    bool folders_only;
    bool whole_path;  // otherwise the last name of the path has to match
  };

  void add_line(std::string_view line);

  std::vector<Pattern> patterns_;
};

// What the ignore files of one folder say.
struct RuleFiles {
  IgnorePatterns gitignore;      // .gitignore
  IgnorePatterns ignore;         // .ignore
  IgnorePatterns redraftignore;  // .redraftignore
  IgnorePatterns exclude;        // .git/info/exclude, where the folder is a repository
  bool is_repository = false;
};

// All rules that hold for the entries of one folder: its own files, those of the folders above, and
// the user's own. A deeper file beats one above it; .redraftignore files, wherever they are, beat
// .ignore files, which beat what git has: .gitignore, then the repository's exclude file, then the
// user's. What git has ends at the top of a repository, also inside of another one. Immutable and
// shared: folders below hold on to those above.
class FolderRules {
 public:
  // `user`: core.excludesFile; null where there is none.
  static std::shared_ptr<const FolderRules> top(RuleFiles files,
                                                std::shared_ptr<const IgnorePatterns> user);
  static std::shared_ptr<const FolderRules> below(std::shared_ptr<const FolderRules> parent,
                                                  std::string_view name, RuleFiles files);

  // About one entry of the folder. Of use only if none of the folders above is ignored.
  IgnoreVerdict verdict(std::string_view name, bool is_folder) const;

 private:
  FolderRules(std::shared_ptr<const FolderRules> parent, std::string path, RuleFiles files,
              std::shared_ptr<const IgnorePatterns> user);

  IgnoreVerdict verdict_of_git(std::string_view path, bool is_folder) const;

  std::shared_ptr<const FolderRules> parent_;  // null at the top
  std::string path_;  // from the top to this folder: empty, or with a slash at its end
  RuleFiles files_;
  std::shared_ptr<const IgnorePatterns> user_;
};

}  // namespace redraft
