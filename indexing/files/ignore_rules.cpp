#include "indexing/files/ignore_rules.h"

#include <algorithm>
#include <utility>

#include "text/strings/lines.h"

namespace redraft {
namespace {

// Trailing spaces do not count unless a backslash precedes them; tabs do count.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
      end = i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  return line.substr(0, end);
}

}  // namespace

IgnorePatterns::IgnorePatterns(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) add_line(take_line(text));
}

void IgnorePatterns::add_line(std::string_view line) {
  if (line.starts_with('#')) return;
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = without_trailing_spaces(line.substr(0, line.find('\0')));
  const bool negated = line.starts_with('!');
  if (negated) line.remove_prefix(1);
  const bool folders_only = line.ends_with('/');
  if (folders_only) line.remove_suffix(1);
  if (line.empty()) return;
  const bool whole_path = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  patterns_.push_back({Glob(line), negated, folders_only, whole_path});
}

IgnoreVerdict IgnorePatterns::verdict(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  const auto matches = [&](const Pattern& pattern) {
    return (is_folder || !pattern.folders_only) &&
           pattern.glob.matches(pattern.whole_path ? path : name);
  };
  const auto last = std::find_if(patterns_.rbegin(), patterns_.rend(), matches);
  if (last == patterns_.rend()) return IgnoreVerdict::kNoRule;
  return last->negated ? IgnoreVerdict::kKept : IgnoreVerdict::kIgnored;
}

FolderRules::FolderRules(std::shared_ptr<const FolderRules> parent, std::string path,
                         RuleFiles files, std::shared_ptr<const IgnorePatterns> user)
    : parent_(std::move(parent)),
      path_(std::move(path)),
      files_(std::move(files)),
      user_(std::move(user)) {}

std::shared_ptr<const FolderRules> FolderRules::top(RuleFiles files,
                                                    std::shared_ptr<const IgnorePatterns> user) {
  return std::shared_ptr<const FolderRules>(
      new FolderRules(nullptr, "", std::move(files), std::move(user)));
}

std::shared_ptr<const FolderRules> FolderRules::below(std::shared_ptr<const FolderRules> parent,
                                                      std::string_view name, RuleFiles files) {
  std::string path = parent->path_ + std::string(name) + "/";
  std::shared_ptr<const IgnorePatterns> user = parent->user_;
  return std::shared_ptr<const FolderRules>(
      new FolderRules(std::move(parent), std::move(path), std::move(files), std::move(user)));
}

IgnoreVerdict FolderRules::verdict(std::string_view name, bool is_folder) const {
  const std::string path = path_ + std::string(name);
  for (const auto kind : {&RuleFiles::redraftignore, &RuleFiles::ignore}) {
    for (const FolderRules* at = this; at != nullptr; at = at->parent_.get()) {
      const IgnorePatterns& patterns = at->files_.*kind;
      if (patterns.empty()) continue;
      const std::string_view below = std::string_view(path).substr(at->path_.size());
      const IgnoreVerdict verdict = patterns.verdict(below, is_folder);
      if (verdict != IgnoreVerdict::kNoRule) return verdict;
    }
  }
  return verdict_of_git(path, is_folder);
}

IgnoreVerdict FolderRules::verdict_of_git(std::string_view path, bool is_folder) const {
  IgnoreVerdict verdict = IgnoreVerdict::kNoRule;
  const FolderRules* at = this;
  for (;; at = at->parent_.get()) {
    verdict = at->files_.gitignore.verdict(path.substr(at->path_.size()), is_folder);
    if (verdict != IgnoreVerdict::kNoRule) return verdict;
    if (at->files_.is_repository || at->parent_ == nullptr) break;
  }
  const std::string_view in_repository = path.substr(at->path_.size());
  verdict = at->files_.exclude.verdict(in_repository, is_folder);
  if (verdict != IgnoreVerdict::kNoRule || user_ == nullptr) return verdict;
  return user_->verdict(in_repository, is_folder);
}

}  // namespace redraft
