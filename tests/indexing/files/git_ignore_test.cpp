// Random trees with random ignore files: the walk finds the files that git lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "indexing/files/file_scan.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr int kTrees = 60;

// The output of git, split at NUL bytes; the user's own settings do not count.
std::vector<std::string> git(const TempFolder& folder, const std::string& arguments) {
  const std::string command = "cd '" + (folder / "tree").string() + "' && HOME='" +
                              folder.path().string() + "' XDG_CONFIG_HOME='" +
                              (folder / "config").string() + "' GIT_CONFIG_NOSYSTEM=1 git " +
                              arguments + " 2>/dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), n);
  }
  ::pclose(pipe);
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\0', at), output.size());
    paths.push_back(output.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(paths);
  return paths;
}

class RandomTree {
 public:
  RandomTree(const TempFolder& folder, unsigned seed) : folder_(folder), random_(seed) {}

  void make() {
    fill("tree", 0);
    if (one_in(2)) folder_.write("tree/.git/info/exclude", rules());
    if (one_in(2)) folder_.write("config/git/ignore", rules());
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool one_in(int n) { return below(n) == 0; }

  std::string name() {
    static constexpr std::array<std::string_view, 16> kNames = {
        "a",     "b",   "ab", "ba", "aab", "abc", "a.b", "b.a",
        "c.c.c", "[a]", "a*", "-",  "a b", "a ",  "\\a", "]"};
    return std::string(kNames[static_cast<std::size_t>(below(kNames.size()))]);
  }

  void fill(const std::string& path, int depth) {
    for (int n = 3 + below(5); n > 0; --n) {
      const std::string each = path + "/" + name();
      if (std::filesystem::exists(folder_ / each)) continue;
      if (depth < 4 && one_in(2)) {
        fill(each, depth + 1);
      } else {
        folder_.write(each);
      }
    }
    if (one_in(depth == 0 ? 1 : 3)) folder_.write(path + "/.gitignore", rules());
  }

  std::string rules() {
    std::string text = one_in(10) ? "\xEF\xBB\xBF" : "";
    for (int n = 1 + below(5); n > 0; --n) {
      text += line();
      text += one_in(6) ? "\r\n" : "\n";
    }
    if (one_in(8)) text.pop_back();
    return text;
  }

  std::string line() {
    static constexpr std::array<std::string_view, 34> kPieces = {
        "a",           "b",           "ab",      "c",    "*",   "*",   "**",   "/",    "/",
        "/",           "?",           ".",       "/**/", "**/", "/**", "[ab]", "[!a]", "[^b]",
        "[a-c]",       "[]a]",        "[",       "]",    "\\",  "\\*", "\\a",  " ",    "\\ ",
        "[[:alpha:]]", "[[:punct:]]", "[[:x:]]", "[[:",  "[b-", "***", "#"};
    std::string text = one_in(4) ? "!" : "";
    if (one_in(3)) {
      for (int n = below(3); n >= 0; --n) text += name() + (n > 0 || one_in(4) ? "/" : "");
      return text;
    }
    for (int n = 1 + below(6); n > 0; --n) {
      const std::string piece(kPieces[static_cast<std::size_t>(below(kPieces.size()))]);
      // Versions of git differ on stars after a name: up to 2.52 `a**/b` matches `ab`.
      const bool is_after_name = !text.empty() && text.back() != '/' && text.back() != '!';
      const bool makes_stars = piece.starts_with("**") || (piece == "*" && text.ends_with('*'));
      if (makes_stars && is_after_name) continue;
      text += piece;
    }
    return text;
  }

  const TempFolder& folder_;
  std::mt19937 random_;
};

TEST(GitIgnore, GivesTheFilesThatGitLists) {
  if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
  std::size_t n_files = 0;
  std::size_t n_ignored = 0;
  for (unsigned seed = 0; seed < kTrees && !HasFailure(); ++seed) {
    const TempFolder folder;
    folder.write("tree/.git/HEAD", "ref: refs/heads/main\n");  // all that makes it a repository
    for (const char* each : {"objects", "refs"}) {
      std::filesystem::create_directory(folder / "tree/.git" / each);
    }
    RandomTree(folder, seed).make();
    const std::vector<std::filesystem::path> roots = {folder / "tree"};
    std::vector<std::string> found;
    const ScanReport report = scan_roots(roots, {.user_ignore_file = folder / "config/git/ignore"},
                                         {.on_file = [&](const SourceFile& file) {
                                           found.push_back(file.path);
                                           return true;
                                         }});
    std::ranges::sort(found);
    EXPECT_EQ(found, git(folder, "ls-files -z --others --exclude-standard")) << "seed " << seed;
    n_files += report.files;
    n_ignored += report.skipped_for(SkipReason::kIgnored);
  }
  EXPECT_GT(n_files, 500U);
  EXPECT_GT(n_ignored, 300U);
}

}  // namespace
}  // namespace redraft
