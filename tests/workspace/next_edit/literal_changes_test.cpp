#include "workspace/next_edit/literal_changes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace redraft {
namespace {

using Lines = std::pair<std::string, std::string>;  // before and after

bool is_by_chance(const std::vector<Lines>& made, const Lines& proposed) {
  std::string text;
  for (const Lines& each : made) text += each.second + '\n';
  const auto document = *Document::make("file:///a", 1, text, "plaintext");
  std::vector<RecentChange> recent;
  for (const Lines& each : made)
    recent.push_back({document, static_cast<int>(recent.size()), {each.first}, {each.second}});
  return LiteralChanges(recent).is_by_chance({proposed.first}, {proposed.second});
}

TEST(LiteralChanges, AnEqualValueIsEqualByChance) {
  const std::pair<Lines, Lines> cases[] = {
      {{"version = \"0.3.1\"", "version = \"0.4.0\""}, {"rand = \"0.3.1\"", "rand = \"0.4.0\""}},
      {{"\"version\": \"1.0.0\",", "\"version\": \"1.1.0\","},
       {"\"y\": \"1.0.0\"", "\"y\": \"1.1.0\""}},
      {{"\"version\": \"1.0.0\",", "\"version\": \"1.1.0\","},
       {"\"y\": \"1.0.0\"", "\"y\": \"1.0.1\""}},
      {{"TIMEOUT = 10", "TIMEOUT = 30"}, {"    return 10", "    return 30"}},
      {{"WIDTH = 100", "WIDTH = 120"}, {"    return n * 100 / of", "    return n * 120 / of"}},
      {{"WIDTH = 100", "WIDTH = most"}, {"    return n * 100", "    return n * most"}},
      {{"const size_t kMax = 0x10;", "const size_t kMax = 0x20;"}, {"f(0x10);", "f(0x20);"}},
      {{"go 1.21", "go 1.22"}, {"require a v1.21", "require a v1.22"}},
      {{"  image: a:1.2.3", "  image: a:1.3.0"}, {"  tag: 1.2.3", "  tag: 1.3.0"}},
      {{"<version>1.0</version>", "<version>1.1</version>"}, {"<v>1.0</v>", "<v>1.1</v>"}},
      {{"name = 'shelf'", "name = 'store'"}, {"print('shelf')", "print('store')"}},
      {{"timeout = 10", "timeout = 30"}, {"timeout = 10", "timeout = 30"}},
      {{"margin: 10px;", "margin: 12px;"}, {"padding: 10px;", "padding: 12px;"}},
      {{"X = 1.5", "X = 2.5"}, {"y = f(1.5, a)", "y = f(2.5, a)"}},
  };
  for (const auto& [made, proposed] : cases) {
    EXPECT_TRUE(is_by_chance({made}, proposed)) << proposed.first;
    EXPECT_TRUE(is_by_chance({}, proposed)) << proposed.first;
  }
}

TEST(LiteralChanges, TwoSuchChangesShowMore) {
  const std::vector<Lines> twice = {{"a = f(10)", "a = f(30)"}, {"b = 10", "b = 30"}};
  EXPECT_FALSE(is_by_chance(twice, {"return 10", "return 30"}));
  EXPECT_TRUE(is_by_chance(twice, {"return 10", "return 40"}));
  EXPECT_TRUE(is_by_chance(twice, {"return 30", "return 10"}));
  EXPECT_TRUE(is_by_chance({{"a = 10", "a = 30"}, {"b = 20", "b = 30"}}, {"c = 10", "c = 30"}));
  const std::vector<Lines> paths = {{"a(\"/v1/users\")", "a(\"/v2/users\")"},
                                    {"a(\"/v1/books\")", "a(\"/v2/books\")"}};
  EXPECT_FALSE(is_by_chance(paths, {"a(\"/v1/shelves\")", "a(\"/v2/shelves\")"}));
}

TEST(LiteralChanges, WhatIsChangedWithOtherThingsIsNoBareValue) {
  const std::vector<Lines> made = {{"a = old(10)", "a = fresh(30)"}};
  EXPECT_FALSE(is_by_chance(made, {"b = old(10)", "b = fresh(30)"}));
  EXPECT_FALSE(is_by_chance(made, {"b = old(1)", "b = old(1, 2)"})) << "none is replaced";
  EXPECT_FALSE(is_by_chance(made, {"b = x", "b = y"}));
}

TEST(LiteralChanges, ARenamedNameInAStringIsNoBareValue) {
  const std::vector<Lines> renamed = {{"def load(path):", "def read(path):"}};
  EXPECT_FALSE(is_by_chance(renamed, {"__all__ = [\"load\"]", "__all__ = [\"read\"]"}));
  EXPECT_FALSE(
      is_by_chance(renamed, {"raise E(\"cannot load it\")", "raise E(\"cannot read it\")"}));
  EXPECT_TRUE(is_by_chance(renamed, {"x = \"load\"", "x = \"write\""}));
}

TEST(LiteralChanges, ReadsValuesOfAnyForm) {
  EXPECT_FALSE(is_by_chance({}, {"it's 10 o'clock now", "it's 10 o'clock then"}));
  EXPECT_TRUE(is_by_chance({}, {"it's 10 o'clock", "it's 11 o'clock"}));
  EXPECT_TRUE(is_by_chance({}, {"a = \"x \\\" 1\"", "a = \"x \\\" 2\""}));
  EXPECT_FALSE(is_by_chance({}, {"", "a = 1"}));
}

}  // namespace
}  // namespace redraft
