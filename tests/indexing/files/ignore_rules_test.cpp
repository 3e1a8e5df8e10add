#include "indexing/files/ignore_rules.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/thread_time.h"

namespace redraft {
namespace {

struct Case {
  std::string_view rules;
  std::string_view path;  // a folder if it ends with a slash
  IgnoreVerdict verdict;
};

constexpr IgnoreVerdict kNo = IgnoreVerdict::kNoRule;
constexpr IgnoreVerdict kYes = IgnoreVerdict::kIgnored;
constexpr IgnoreVerdict kKept = IgnoreVerdict::kKept;

IgnoreVerdict verdict(std::string_view rules, std::string_view path) {
  const bool is_folder = path.ends_with('/');
  if (is_folder) path.remove_suffix(1);
  return IgnorePatterns(rules).verdict(path, is_folder);
}

void check(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(verdict(each.rules, each.path), each.verdict)
        << "rules: " << each.rules << "\npath: " << each.path;
  }
}

TEST(IgnorePatterns, MatchNamesAtAnyDepthAndPathsFromTheirFolder) {
  check({{"foo", "foo", kYes},
         {"foo", "a/b/foo", kYes},
         {"foo", "foo/", kYes},
         {"foo", "food", kNo},
         {"/foo", "foo", kYes},
         {"/foo", "a/foo", kNo},
         {"a/foo", "a/foo", kYes},
         {"a/foo", "b/a/foo", kNo},
         {"foo/", "foo", kNo},
         {"foo/", "foo/", kYes},
         {"foo/", "a/foo/", kYes},
         {"a/foo/", "a/foo/", kYes},
         {"a/foo/", "b/a/foo/", kNo},
         {"/", "a", kNo},
         {"//a", "a", kNo},
         {"a//b", "a/b", kNo},
         {"foo//", "foo/", kNo},
         {".", "a", kNo}});
}

TEST(IgnorePatterns, KnowWildcards) {
  check({{"*.o", "a.o", kYes},
         {"*.o", "x/a.o", kYes},
         {"*.o", ".o", kYes},
         {"/*.o", "x/a.o", kNo},
         {"a*b*c", "aXbYc", kYes},
         {"a*b*c", "aXcYb", kNo},
         {"?", "a", kYes},
         {"?", "ab", kNo},
         {"x/?", "x/a", kYes},
         {"x?y", "x/y", kNo},
         {"x/*", "x/a", kYes},
         {"x/*", "x/a/b", kNo},
         {"*", "a/b", kYes},
         {"x*/y", "xab/y", kYes},
         {"x*/y", "xa/b/y", kNo},
         {"f*o/*/*", "foo/b/c", kYes},
         {"a*bc*d", "axbbcbcd", kYes}});
}

TEST(IgnorePatterns, KnowDoubleStars) {
  check({{"**/foo", "foo", kYes},
         {"**/foo", "a/b/foo", kYes},
         {"**/a/b", "x/a/b", kYes},
         {"a/**", "a/b/c", kYes},
         {"a/**", "a/", kNo},
         {"a/**", "a", kNo},
         {"a/**/b", "a/b", kYes},
         {"a/**/b", "a/x/y/b", kYes},
         {"a/**/b", "a/xb", kNo},
         {"**", "a/b", kYes},
         {"a/x**", "a/xy/z", kNo},
         {"a/x**", "a/xy", kYes},
         {"foo**/bar", "foo/bar", kYes},
         {"foo**/bar", "foobar", kNo},
         {"a/***/b", "a/x/y/b", kYes},
         {"**/**/b", "b", kYes},
         {"/**/b/**/c", "b/c", kYes},
         {"**/", "a/", kYes},
         {"**/", "a", kNo},
         {"a/**/", "a/b/c/", kYes}});
}

TEST(IgnorePatterns, KnowClasses) {
  check({{"[abc]", "b", kYes},
         {"[!abc]", "b", kNo},
         {"[^abc]", "d", kYes},
         {"[a-c]x", "bx", kYes},
         {"[a-c]x", "dx", kNo},
         {"[]]", "]", kYes},
         {"[!]]", "]", kNo},
         {"[!]]", "a", kYes},
         {"[a-]", "-", kYes},
         {"[-a]", "-", kYes},
         {"[\\]]", "]", kYes},
         {"[\\a-c]", "b", kYes},
         {"[", "[", kNo},
         {"[a", "a", kNo},
         {"[]", "]", kNo},
         {"x/[/]y", "x//y", kNo},
         {"x[!a]y", "x/y", kNo},
         {"[[:digit:]]", "7", kYes},
         {"[[:alpha:]-z]", "-", kYes},
         {"[[:nope:]]", "a", kNo},
         {"[[:digit:]a]", "a", kYes},
         {"[[:]", ":", kYes},
         {"[[:]", "[", kYes},
         {"[[:digit]", "g", kYes},
         {"[[:upper:]]", "a", kNo},
         {"[[:space:]]x", "\vx", kNo},
         {"[[:space:]]x", "\tx", kYes},
         {"[c-a]", "b", kNo},
         {"[a-[:digit:]]", "5]", kNo},
         {"[[:xdigit:]]", "F", kYes}});
}

TEST(IgnorePatterns, KnowEscapesCommentsAndSpaces) {
  check({{"\\#a", "#a", kYes},
         {"#a", "#a", kNo},
         {"\\!a", "!a", kYes},
         {"a\\*", "a*", kYes},
         {"a\\*", "ab", kNo},
         {"a\\", "a", kNo},
         {"a\\", "a\\", kNo},
         {"a   ", "a", kYes},
         {"a\\ ", "a ", kYes},
         {"a\\ ", "a", kNo},
         {"a\\   ", "a ", kYes},
         {"a\t", "a", kNo},
         {"a\t", "a\t", kYes},
         {"a b", "a b", kYes},
         {"  a", "  a", kYes},
         {"a/ ", "a/", kYes},
         {" ", " ", kNo},
         {"\\a", "a", kYes},
         {"a\r\nb\r\n", "a", kYes},
         {"a\r\nb\r\n", "b", kYes},
         {"a\r\nb\r", "b", kYes},
         {"\xEF\xBB\xBF"
          "a",
          "a", kYes},
         {"x\n\xEF\xBB\xBF"
          "a",
          "a", kNo},
         {std::string_view("a\0b", 3), "a", kYes}});
}

TEST(IgnorePatterns, LetTheLastLineDecide) {
  check({{"*.o\n!a.o", "a.o", kKept},
         {"*.o\n!a.o", "b.o", kYes},
         {"!a.o\n*.o", "a.o", kYes},
         {"!!a", "!a", kKept},
         {"!", "a", kNo},
         {"foo\n!foo/", "foo", kYes},
         {"foo\n!foo/", "foo/", kKept},
         {"", "a", kNo}});
}

std::shared_ptr<const FolderRules> top(RuleFiles files, std::string_view user = "") {
  files.is_repository = true;
  return FolderRules::top(std::move(files), std::make_shared<const IgnorePatterns>(user));
}

RuleFiles git(std::string_view text) {
  RuleFiles files;
  files.gitignore = IgnorePatterns(text);
  return files;
}

TEST(FolderRules, DeeperFilesBeatThoseAbove) {
  const auto outer = top(git("*.log\n/below/x\n"));
  const auto inner = FolderRules::below(outer, "below", git("!keep.log\n/y\n"));
  EXPECT_EQ(inner->verdict("keep.log", false), kKept);
  EXPECT_EQ(inner->verdict("other.log", false), kYes);
  EXPECT_EQ(inner->verdict("x", false), kYes);
  EXPECT_EQ(inner->verdict("y", false), kYes);
  EXPECT_EQ(outer->verdict("y", false), kNo);
  EXPECT_EQ(FolderRules::below(inner, "y", {})->verdict("y", false), kNo);
}

TEST(FolderRules, OwnFilesBeatThoseOfGitWhereverTheyAre) {
  RuleFiles files = git("a\nb\n!c\n");
  files.ignore = IgnorePatterns("!a\nc\nd\n");
  files.redraftignore = IgnorePatterns("!d\n");
  const auto inner = FolderRules::below(top(std::move(files)), "below", git("a\n!c\n"));
  EXPECT_EQ(inner->verdict("a", false), kKept);
  EXPECT_EQ(inner->verdict("b", false), kYes);
  EXPECT_EQ(inner->verdict("c", false), kYes);
  EXPECT_EQ(inner->verdict("d", false), kKept);
}

TEST(FolderRules, TheRepositoryBeatsItsExcludeFileBeatsTheUser) {
  RuleFiles files = git("!a\n");
  files.exclude = IgnorePatterns("a\n!b\n/sub/d\n");
  const auto rules = top(std::move(files), "a\nb\nc\n");
  EXPECT_EQ(rules->verdict("a", false), kKept);
  EXPECT_EQ(rules->verdict("b", false), kKept);
  EXPECT_EQ(rules->verdict("c", false), kYes);
  EXPECT_EQ(FolderRules::below(rules, "sub", {})->verdict("d", false), kYes);
}

TEST(FolderRules, ARepositoryInsideStartsItsOwn) {
  RuleFiles files = git("*.txt\n");
  files.ignore = IgnorePatterns("*.bin\n");
  RuleFiles nested = git("*.md\n");
  nested.is_repository = true;
  const auto inner = FolderRules::below(top(std::move(files), "/x\n"), "nested", std::move(nested));
  EXPECT_EQ(inner->verdict("a.txt", false), kNo);
  EXPECT_EQ(inner->verdict("a.md", false), kYes);
  EXPECT_EQ(inner->verdict("a.bin", false), kYes);  // .ignore is not git's
  EXPECT_EQ(inner->verdict("x", false), kYes);      // the user's rules count from its top
}

TEST(IgnorePatterns, TakeNoTimeForHostilePatterns) {
  std::string stars;
  std::string folders;
  for (int i = 0; i < 200; ++i) {
    stars += "a*";
    folders += "**/a*?*/";
  }
  const IgnorePatterns patterns(stars + "b\n" + folders + "b\nx/" + stars + "[!a]\n");
  std::string deep = std::string(2000, 'a');
  for (int i = 0; i < 1000; ++i) deep += "/a";
  const auto begin = thread_time();
  EXPECT_EQ(patterns.verdict(deep, false), kNo);
  EXPECT_EQ(patterns.verdict("x/" + std::string(3000, 'a'), false), kNo);
  EXPECT_LT(thread_time() - begin, std::chrono::minutes(1)) << "every star tried would take years";
}

}  // namespace
}  // namespace redraft
