#include "indexing/files/ignore_files.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "indexing/files/file_handle.h"
#include "indexing/files/git_config.h"
#include "indexing/files/git_work_tree.h"
#include "support/files/user_folders.h"
#include "support/system/descriptors.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRuleBytes = 1 << 20;
constexpr std::string_view kRuleFiles[] = {".gitignore", ".ignore", ".redraftignore"};

IgnorePatterns read_patterns(int folder, const std::string& name, bool follow_link,
                             const IgnoreProblem& problem) {
  const std::optional<std::string> text = read_small_file(folder, name, follow_link, kMaxRuleBytes);
  if (text) return IgnorePatterns(*text);
  if (errno != ENOENT && errno != ENOTDIR && problem) {
    const char* reason = errno == ELOOP    ? "it is a symbolic link"
                         : errno == EINVAL ? "it is not a regular file"
                         : errno == EFBIG  ? "it is larger than 1 MiB"
                                           : std::strerror(errno);
    problem("ignoring the rules in " + name + ": " + reason);
  }
  return {};
}

RuleFiles read_rules(int folder, const IgnoreProblem& problem) {
  RuleFiles files;
  files.gitignore = read_patterns(folder, ".gitignore", false, problem);
  files.ignore = read_patterns(folder, ".ignore", false, problem);
  files.redraftignore = read_patterns(folder, ".redraftignore", false, problem);
  if (const auto tree = git_work_tree_at(folder, path_of_open_folder(folder))) {
    files.is_repository = true;
    files.exclude = read_patterns(folder, tree->common + "/info/exclude", true, problem);
  }
  return files;
}

// The folders from the top of the repository that contains `root` down to the folder above `root`.
// Empty if there is no repository, or if the root is a repository itself.
std::vector<fs::path> folders_above(const fs::path& root) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  if (fs::exists(root / ".git", ignored)) return {};
  for (fs::path at = root; at.has_relative_path();) {
    at = at.parent_path();
    folders.insert(folders.begin(), at);
    if (fs::exists(at / ".git", ignored)) return folders;
  }
  return {};
}

}  // namespace

fs::path user_ignore_file() {
  const std::optional<fs::path> config = user_config_folder();
  const std::optional<fs::path> home = user_home_folder();
  std::optional<std::string> configured;
  const auto ask = [&](const fs::path& file) {
    const auto text = read_small_file(AT_FDCWD, file, true, kMaxRuleBytes);
    auto value = text ? git_config_value(*text, "core", "excludesFile") : std::nullopt;
    if (value) configured = std::move(value);
  };
  if (config) ask(*config / "git" / "config");
  if (home) ask(*home / ".gitconfig");  // takes precedence
  if (configured && configured->starts_with("~/"))
    return home ? *home / configured->substr(2) : fs::path();
  if (configured) return *configured;
  return config ? *config / "git" / "ignore" : fs::path();
}

bool is_ignore_file(std::string_view name) {
  for (const std::string_view each : kRuleFiles) {
    if (name == each) return true;
  }
  return name == ".git";  // a repository that begins or ends here
}

std::shared_ptr<const FolderRules> rules_of_root(const fs::path& root, int folder,
                                                 const fs::path& user_ignore_file,
                                                 const IgnoreProblem& problem) {
  std::shared_ptr<const IgnorePatterns> user;
  if (!user_ignore_file.empty()) {
    user = std::make_shared<const IgnorePatterns>(
        read_patterns(AT_FDCWD, user_ignore_file, true, problem));
  }
  std::error_code error;
  const fs::path canonical = fs::canonical(root, error);
  const std::vector<fs::path> above = error ? std::vector<fs::path>{} : folders_above(canonical);
  std::shared_ptr<const FolderRules> rules;
  for (const fs::path& each : above) {
    const FileHandle handle = open_folder(AT_FDCWD, each);
    RuleFiles files = handle ? read_rules(handle.get(), problem) : RuleFiles{};
    rules = rules == nullptr
                ? FolderRules::top(std::move(files), user)
                : FolderRules::below(rules, each.filename().string(), std::move(files));
  }
  if (rules == nullptr) return FolderRules::top(read_rules(folder, problem), user);
  return rules_below(rules, canonical.filename().string(), folder, problem);
}

std::shared_ptr<const FolderRules> rules_below(std::shared_ptr<const FolderRules> parent,
                                               std::string_view name, int folder,
                                               const IgnoreProblem& problem) {
  return FolderRules::below(std::move(parent), name, read_rules(folder, problem));
}

}  // namespace redraft
