#include "workspace/edit/instruction.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

using Replacements = std::vector<Replacement>;

constexpr const char* kText = "int count = items.size();\nfoo(n, old_name, list, x);\n";

struct Case {
  const char* instruction;
  Replacements expected;
};

class Instructions : public testing::TestWithParam<Case> {};

TEST_P(Instructions, SayWhatBecomesOfAWord) {
  EXPECT_EQ(replacements_in(GetParam().instruction, kText), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, Instructions,
    testing::Values(Case{"Rename count to total.", {{"count", "total"}}},
                    Case{"rename `count` to `total` and n into size",
                         {{"count", "total"}, {"n", "size"}}},
                    Case{"Please rename the variable 'old_name' everywhere to \"new_name\"",
                         {{"old_name", "new_name"}}},
                    Case{"Replace all calls of foo() by bar()", {{"foo", "bar"}}},
                    Case{"foo -> bar, n => m, x → y", {{"foo", "bar"}, {"n", "m"}, {"x", "y"}}},
                    Case{"use deque instead of list", {{"list", "deque"}}},
                    Case{"use a deque rather than a list here", {{"list", "deque"}}},
                    Case{"Rename n to n", {}}, Case{"Rename missing to total", {}},
                    Case{"Rename coun to total", {}}, Case{"Rename count", {}},
                    Case{"add x to list", {}},
                    Case{"rename count to total, then count to sum", {{"count", "total"}}},
                    Case{"", {}}, Case{"rename `` to ``", {}}));

TEST(Instruction, ALongOneIsReadInPart) {
  std::string text;
  std::string instruction;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "v" + std::to_string(i);
    text += name + "\n";
    instruction += "rename " + name + " to w" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(replacements_in(instruction, text).size(), 16U);
  EXPECT_TRUE(replacements_in(std::string(100000, 'a') + " to b", text).empty());
  EXPECT_TRUE(replacements_in(std::string(4096, '`'), "`").empty());
}

}  // namespace
}  // namespace redraft
