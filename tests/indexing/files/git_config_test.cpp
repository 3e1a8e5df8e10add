#include "indexing/files/git_config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "indexing/files/ignore_files.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

std::optional<std::string> excludes(std::string_view text) {
  return git_config_value(text, "core", "excludesFile");
}

TEST(GitConfig, GivesTheLastValueOfAKey) {
  EXPECT_EQ(excludes("[core]\n\texcludesFile = ~/ignore\n"), "~/ignore");
  EXPECT_EQ(excludes("[user]\nname = x\n[CORE] EXCLUDESFILE=a\n[core]\nexcludesfile = b\r\n"), "b");
  EXPECT_EQ(excludes("[core]\nexcludesFile = \"a b # c\" # d\n"), "a b # c");
  EXPECT_EQ(excludes("[core]\nexcludesFile = a b\t; d\n"), "a b");
  EXPECT_EQ(excludes("[core]\nexcludesFile = /a/\\\nb\n"), "/a/b");
  EXPECT_EQ(excludes("[core]\n# excludesFile = a\n;excludesFile = a\n"), std::nullopt);
  EXPECT_EQ(excludes("[core \"sub\"]\nexcludesFile = a\n"), std::nullopt);
  EXPECT_EQ(excludes("excludesFile = a\n[core\nexcludesFile\n"), std::nullopt);
  EXPECT_EQ(excludes(""), std::nullopt);
}

TEST(GitConfig, AnyTextWillDo) {
  std::mt19937 random(1);
  constexpr std::string_view kPieces[] = {"[", "core", "]", "excludesFile", "=",  "\"", "\\", "\n",
                                          " ", "#",    "x", "\r",           "\t", ";"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = random() % 30; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
    const auto value = excludes(text);
    if (value) {
      EXPECT_LE(value->size(), text.size());
    }
  }
}

TEST(UserIgnoreFile, IsTheOneThatGitIsConfiguredWith) {
  const TempFolder home;
  ASSERT_EQ(setenv("HOME", home.path().c_str(), 1), 0);
  ASSERT_EQ(setenv("XDG_CONFIG_HOME", (home.path() / "config").c_str(), 1), 0);
  EXPECT_EQ(user_ignore_file(), home.path() / "config/git/ignore");
  std::filesystem::create_directories(home.path() / "config/git");
  std::ofstream(home.path() / "config/git/config") << "[core]\nexcludesFile = /one\n";
  EXPECT_EQ(user_ignore_file(), "/one");
  std::ofstream(home.path() / ".gitconfig") << "[core]\nexcludesFile = ~/mine\n";
  EXPECT_EQ(user_ignore_file(), home.path() / "mine");
  std::ofstream(home.path() / ".gitconfig") << "[core]\nexcludesFile =\n";
  EXPECT_EQ(user_ignore_file(), "") << "git takes none then";
}

}  // namespace
}  // namespace redraft
