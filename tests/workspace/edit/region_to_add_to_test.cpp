// The region of an instruction that adds a part, in each language that has what it adds to.
#include "workspace/edit/region_to_add_to.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "workspace/documents/cursor_region.h"

namespace redraft {
namespace {

TEST(AddedPart, IsWhatTheVerbAdds) {
  EXPECT_EQ(added_part("add a case for quit"), AddedPart::kCase);
  EXPECT_EQ(added_part("Support another variant, Other"), AddedPart::kCase);
  EXPECT_EQ(added_part("please add two more fields to the struct"), AddedPart::kField);
  EXPECT_EQ(added_part("add a --quiet flag"), AddedPart::kOption);
  EXPECT_EQ(added_part("add an argument --quiet"), AddedPart::kOption);
  EXPECT_EQ(added_part("add a parameter 'quiet' to the function"), AddedPart::kParameter);
  EXPECT_EQ(added_part("implement a reset method"), AddedPart::kMethod);
  EXPECT_EQ(added_part("add entries for the two new codes"), AddedPart::kEntry);
  for (const char* other :
       {"add a docstring to the method", "handle the case where it is empty", "add a test case",
        "rename the field", "add logging in each case", "add type hints"})
    EXPECT_EQ(added_part(other), std::nullopt) << other;
}

// The lines of `text` from the one with `first` to the one with `last` are the region for a cursor
// at the word `at`.
struct Case {
  const char* language;
  const char* instruction;
  std::string text, at, first, last;
};

void PrintTo(const Case& one, std::ostream* out) {  // NOLINT
  *out << one.language << ": " << one.instruction;
}

class RegionToAddTo : public testing::TestWithParam<Case> {};

// Statements that make a function too long to be edited as a whole.
std::string many(const std::string& statement) {
  std::string all;
  for (int i = 0; i < 30; ++i) all += statement;
  return all;
}

TEST_P(RegionToAddTo, IsWhatHasTheParts) {
  const Case& one = GetParam();
  const auto document = *Document::make("file:///a", 1, one.text, one.language);
  const std::size_t cursor = one.text.find(one.at);
  ASSERT_NE(cursor, std::string::npos);
  constexpr std::size_t kMaxBytes = 260;
  const ByteRange chosen = regions_at(*document, {cursor, cursor}, kMaxBytes).region().range;
  const auto found = region_to_add_to(*document, cursor, chosen, one.instruction, kMaxBytes);
  const ByteRange region = found.value_or(chosen);
  const std::string lines = one.text.substr(region.begin, region.size());
  EXPECT_EQ(lines.substr(lines.find_first_not_of(' ')).substr(0, one.first.size()), one.first)
      << lines;
  const std::size_t end = lines.find_last_not_of('\n');
  const std::size_t last = lines.rfind('\n', end);
  EXPECT_EQ(lines.substr(last + 1, end - last), one.last) << lines;
  EXPECT_EQ(region_to_add_to(*document, cursor, chosen, "make it faster", kMaxBytes), std::nullopt);
}

const std::string kC =
    "int f(int a) {\n" + many("  a += 1;\n") +
    "  switch (a) {\n    case 1:\n      a = 2;\n      a = 4;\n      a = 5;\n      break;\n"
    "    default:\n      a = 3;\n  }\n  return a;\n}\n";

INSTANTIATE_TEST_SUITE_P(
    Languages, RegionToAddTo,
    testing::Values(
        Case{"c", "add a case for 2", kC, "a = 2", "switch (a) {", "  }"},
        Case{"cpp", "add a case for 2", kC, "a = 2", "switch (a) {", "  }"},
        Case{"java", "add a case for 2", "class A {\n  " + kC + "}\n", "a = 2", "switch (a) {",
             "  }"},
        Case{"csharp", "add a case for 2", "class A {\n  " + kC + "}\n", "a = 2", "switch (a) {",
             "  }"},
        Case{"javascript", "add a case for 2",
             "function f(a) {\n" + many("  a += 1;\n") +
                 "  switch (a) {\n    case 1:\n      a = 2;\n      a = 4;\n      break;\n    "
                 "default:\n"
                 "      a = 3;\n  }\n  return a;\n}\n",
             "a = 2", "switch (a) {", "  }"},
        Case{"kotlin", "add a case for 2",
             "fun f(a: Int) {\n" + many("  b += 1\n") +
                 "  when (a) {\n    1 -> {\n      g(1)\n      g(2)\n    }\n    else -> g(3)\n"
                 "  }\n}\n",
             "g(1)", "when (a) {", "  }"},
        Case{"swift", "add a case for 2",
             "func f(a: Int) {\n" + many("  b += 1\n") +
                 "  switch a {\n  case 1:\n    g(1)\n    g(2)\n  default:\n    g(3)\n  }\n}\n",
             "g(1)", "switch a {", "  }"},
        Case{"zig", "add a case for 2",
             "fn f(a: u8) void {\n" + many("    b += 1;\n") +
                 "    switch (a) {\n        1 => {\n            g(1);\n            g(2);\n"
                 "        },\n        else => g(3),\n    }\n}\n",
             "g(1)", "switch (a) {", "    }"},
        Case{"terraform", "add a field to the tags",
             "resource \"a\" \"b\" {\n" + many("  b = 1\n") +
                 "  tags = {\n    one = 1\n    two = 2\n  }\n}\n",
             "one", "tags = {", "  }"},
        Case{"typescript", "add a variant", "export enum Key {\n  A = 1,\n  B = 2,\n}\n", "A = 1",
             "export enum Key {", "}"},
        Case{"go", "add a case for 2",
             "package a\n\nfunc f(a int) int {\n" + many("\ta += 1\n") +
                 "\tswitch a {\n\tcase 1:\n\t\ta = 2\n\t\ta = 4\n\tdefault:\n\t\ta = "
                 "3\n\t}\n\treturn "
                 "a\n}\n",
             "a = 2", "\tswitch a {", "\t}"},
        Case{
            "rust", "add a match arm for 2",
            "fn f(mut a: u8) -> u8 {\n" + many("    a += 1;\n") +
                "    match a {\n        1 => {\n            a = 2;\n            a = 4;\n        }\n"
                "        _ => a = 3,\n    }\n    a\n}\n",
            "a = 2", "match a {", "    }"},
        Case{"python", "add a case for 2",
             "def f(a):\n" + many("    a += 1\n") +
                 "    if a == 1:\n        a = 2\n        a = 4\n    elif a == 3:\n        a = 5\n  "
                 "  "
                 "return a\n",
             "a = 4", "if a == 1:", "        a = 5"},
        Case{"ruby", "add a case for 2",
             "def f(a)\n" + many("  a += 1\n") +
                 "  case a\n  when 1\n    a = 2\n    a = 4\n  else\n    a = 3\n  end\n  a\nend\n",
             "a = 4", "case a", "  end"},
        Case{"php", "add a case for 2",
             "<?php\nfunction f($a) {\n" + many("  $a += 1;\n") +
                 "  switch ($a) {\n    case 1:\n      $a = 2;\n      $a = 4;\n      break;\n    "
                 "default:\n      $a = 3;\n  }\n  return $a;\n}\n",
             "$a = 4", "switch ($a) {", "  }"},
        Case{"shellscript", "add a case for --quiet",
             many("echo 1\n") + "\n" +
                 "case $1 in\n  --verbose)\n    a=1\n    b=2\n    ;;\n  *)\n    c=3\n    "
                 ";;\nesac\n",
             "b=2", "case $1 in", "esac"},
        Case{"python", "add a --quiet option",
             "def main():\n    parser.add_argument('--a')\n    parser.add_argument('--b')\n" +
                 many("    step(1, 2, 3)\n") + "    if a:\n        b()\n        c()\n        d()\n",
             "c()", "parser.add_argument('--a')", "    parser.add_argument('--b')"},
        Case{"python", "add a field",
             "@dataclass\nclass A:\n    a: int = 1\n\n    def f(self):\n        return 1\n",
             "return 1", "@dataclass", "        return 1"},
        Case{"rust", "add a field", "pub struct A {\n    a: u8,\n    b: u8,\n}\n", "a: u8",
             "pub struct A {", "}"},
        Case{"go", "add a field", "package a\n\ntype A struct {\n\ta int\n\tb int\n}\n", "a int",
             "type A struct {", "}"},
        Case{"json", "add an entry", "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 2\n  }\n}\n",
             "\"b\"", "\"a\": {", "  }"},
        Case{"lua", "add an entry", "local t = {\n  a = 1,\n  b = 2,\n}\n\nlocal u = 1\n", "a = 1",
             "local t = {", "}"}));

}  // namespace
}  // namespace redraft
