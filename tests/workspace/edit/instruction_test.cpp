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

using What = RenameWish::What;

struct RenameCase {
  const char* instruction;
  std::vector<RenameWish> expected;
};

class RenameInstructions : public testing::TestWithParam<RenameCase> {};

TEST_P(RenameInstructions, AskForOtherNamesOrForMore) {
  EXPECT_EQ(renames_in(GetParam().instruction), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, RenameInstructions,
    testing::Values(
        RenameCase{"Rename count to total.", {{"count", "total", "", What::kAnything, true}}},
        RenameCase{"please rename the parameter `n` to `size` everywhere",
                   {{"n", "size", "", What::kParameter, true}}},
        RenameCase{"rename self.count to self.total",
                   {{"count", "total", "self", What::kAnything, true}}},
        RenameCase{"rename n::Store::size() to length",
                   {{"size", "length", "Store", What::kAnything, true}}},
        RenameCase{"change the name of method get to fetch in this file",
                   {{"get", "fetch", "", What::kMember, true}}},
        RenameCase{"rename `count` to `total`, and n into size",
                   {{"count", "total", "", What::kAnything, true},
                    {"n", "size", "", What::kAnything, true}}},
        RenameCase{"replace foo by bar", {{"foo", "bar", "", What::kAnything, false}}},
        RenameCase{"a -> b", {{"a", "b", "", What::kAnything, false}}},
        RenameCase{"rename class Box to Crate", {{"Box", "Crate", "", What::kType, true}}},
        RenameCase{"Rename größe to width", {{"größe", "width", "", What::kAnything, true}}},
        RenameCase{"rename “count” to ‘total’ everywhere in the file",
                   {{"count", "total", "", What::kAnything, true}}},
        RenameCase{"rename count to 2x", {{"count", "2x", "", What::kAnything, true}}},
        RenameCase{"rename count to a-b, n to r#type",
                   {{"count", "a-b", "", What::kAnything, true},
                    {"n", "r#type", "", What::kAnything, true}}},
        RenameCase{"change the timeout to 30", {}},
        RenameCase{"rename the parameter of f to count", {}},
        RenameCase{"rename the fields of Box to lower case", {}},
        RenameCase{"rename count to self.total", {}},
        RenameCase{"rename all uses of count to total",
                   {{"count", "total", "", What::kAnything, true}}},
        RenameCase{"count to total", {}}, RenameCase{"add x to list", {}},
        RenameCase{"rename count", {}}, RenameCase{"rename n to n", {}},
        RenameCase{"rename count to total and add a docstring", {}},
        RenameCase{"rename the variables in line 3 to something better", {}},
        RenameCase{"use deque instead of list", {}}, RenameCase{"", {}},
        RenameCase{"rename count to total in the function in line 5", {}}));

TEST(RenameInstruction, MayDescribeWhatItRenames) {
  const auto may_describe = [](const char* instruction) {
    return renames_in(instruction).at(0).may_describe;
  };
  for (const char* instruction : {"rename it to total", "rename the variable to total",
                                  "rename parameters to english", "rename the loop variable to i",
                                  "rename this field to total", "rename snake_case to camelCase"})
    EXPECT_TRUE(may_describe(instruction)) << instruction;
  for (const char* instruction :
       {"rename count to total", "rename loop to i", "rename field to column",
        "rename the variable result to total", "rename counter to n"})
    EXPECT_FALSE(may_describe(instruction)) << instruction;
}

TEST(RenameInstruction, ALongOneIsNone) {
  std::string instruction = "rename a to b";
  while (instruction.size() < 100000) instruction += ", a to b";
  EXPECT_TRUE(renames_in(instruction).empty());
  EXPECT_TRUE(renames_in("rename " + std::string(400, ' ') + "a to b c").empty());
}

}  // namespace
}  // namespace redraft
