#include "workspace/next_edit/line_rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "workspace/documents/open_documents.h"

namespace redraft {
namespace {

LinePair pair(std::string before, std::string after) {
  return {.change = nullptr, .line = 0, .before = std::move(before), .after = std::move(after)};
}

// What a third line becomes; "-": no rule, "": the rule does not apply.
std::string rewritten(const LinePair& a, const LinePair& b, std::string_view line) {
  const auto rule = LineRewrite::learn(a, b);
  return rule ? rule->apply(line).value_or("") : "-";
}

TEST(LineRewrite, DifferencesBecomeHolesThatKeepTheirText) {
  const LinePair a = pair("GetText(key any) (s string) {", "GetText(key any) string {"),
                 b = pair("GetInt(key any) (i int) {", "GetInt(key any) int {");
  EXPECT_EQ(rewritten(a, b, "\tGetTime(key any) (t time) {"), "\tGetTime(key any) time {");
  EXPECT_EQ(rewritten(a, b, "GetTime(key any) (t time) { // old"), "") << "both lines ended there";
  EXPECT_EQ(rewritten(a, b, "GetTime(key int) (t time) {"), "");
  EXPECT_EQ(rewritten(a, b, "GetList(key any) (l []int) {"), "") << "words stood there";
  EXPECT_EQ(rewritten(a, b, "GetTime(key any) time {"), "") << "has followed";
}

TEST(LineRewrite, AHoleMayHoldWhatStoodInOne) {
  const LinePair a = pair("Get(key any) (s string) {", "Get(key any) string {"),
                 b = pair("Get(key any) (m map[string]int) {", "Get(key any) map[string]int {");
  EXPECT_EQ(rewritten(a, b, "Get(key any) (l []int) {"), "Get(key any) []int {");
  EXPECT_EQ(rewritten(a, b, "Get(key any) (v any, ok bool) {"), "") << "no comma stood in a hole";
}

TEST(LineRewrite, ArgumentsTradePlaces) {
  const LinePair a = pair("assertEquals(total(x), 3);", "assertEquals(3, total(x));"),
                 b = pair("assertEquals(size, limit);", "assertEquals(limit, size);");
  EXPECT_EQ(rewritten(a, b, "assertEquals(f(1, 2), y);"), "-") << "one word is too little";
  const LinePair c = pair("check.assertEquals(total(x), 3);", "check.assertEquals(3, total(x));"),
                 d = pair("check.assertEquals(size, limit);", "check.assertEquals(limit, size);");
  EXPECT_EQ(rewritten(c, d, "check.assertEquals(f(1), y);"), "check.assertEquals(y, f(1));");
}

TEST(LineRewrite, EveryPlaceInALine) {
  const LinePair a = pair("x = old.name(1)", "x = fresh.name(1)"),
                 b = pair("return old.name(y)", "return fresh.name(y)");
  EXPECT_EQ(rewritten(a, b, "  old.name(old.name(z))"), "  fresh.name(fresh.name(z))");
  EXPECT_EQ(rewritten(a, b, "very_old.name(z)"), "") << "whole words";
}

TEST(LineRewrite, NoRuleWithoutSomethingInCommon) {
  EXPECT_EQ(rewritten(pair("a = 1", "a = 2"), pair("b = 1", "b = 2"), "c = 1"), "-");
  EXPECT_EQ(rewritten(pair("log(one, two)", "log(one)"), pair("sum(one, two)", "sum(two)"), ""),
            "-");
  EXPECT_EQ(rewritten(pair("use(first, 1)", "use(first, x)"),
                      pair("use(first, 2)", "use(first, y)"), "use(first, 3)"),
            "-")
      << "what would have to be written is not known";
}

TEST(LineRewrite, PairsAreLinesThatBecameOthers) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open("file:///a", 1, "zero\nkeep\n  one a\ntwo\n  three a\nfour\n", "c"));
  ASSERT_TRUE(documents.change("file:///a", 2, {TextEdit{{0, 4}, "null\nnought"}}));
  for (const char* word : {"one a", "three a"}) {
    const std::size_t at = documents.find("file:///a")->text().find(word);
    const std::size_t end = at + std::string(word).size();
    ASSERT_TRUE(
        documents.change("file:///a", 3 + static_cast<int>(at), {TextEdit{{end - 1, end}, "b"}}));
  }
  const std::vector<RecentChange> recent = documents.recent_changes();
  const std::vector<LinePair> pairs = line_pairs(recent, 8);
  ASSERT_EQ(pairs.size(), 2U) << "a line that became two is none";
  EXPECT_EQ(pairs[0].before, "one a");
  EXPECT_EQ(pairs[0].after, "one b");
  EXPECT_EQ(pairs[0].line, 3);
  EXPECT_EQ(pairs[1].line, 5);
  EXPECT_EQ(line_pairs(recent, 1).front().after, "three b");
}

// What is learned from two lines holds for a third with other words in the same places.
TEST(LineRewrite, HoldsForAThirdLineLikeTheTwo) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"bb", "a", "cc", "(", ")", ", ", " ", ".", "=", "dd"};
  const auto line = [&] {
    std::string text = "keep this ";
    for (int n = static_cast<int>(random() % 12); n > 0; --n)
      text += pieces[random() % pieces.size()];
    return text + " to the end";
  };
  const auto with = [](std::string text, const std::string& word) {
    for (std::size_t at; (at = text.find("bb")) != std::string::npos;) text.replace(at, 2, word);
    return text;
  };
  int learned = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string before = line(), after = line();
    const auto rule = LineRewrite::learn(pair(with(before, "xx"), with(after, "xx")),
                                         pair(with(before, "yyy"), with(after, "yyy")));
    if (!rule || before == after) continue;
    const auto applied = rule->apply(with(before, "zz"));
    if (!applied) continue;  // as it would be
    ++learned;
    EXPECT_EQ(*applied, with(after, "zz")) << before << " | " << after;
  }
  EXPECT_GT(learned, 1000);
}

TEST(LineRewrite, DoesNotRewriteTwice) {
  const LinePair a = pair("x = client.fetch(1)", "x = await client.fetch(1)"),
                 b = pair("return client.fetch(2)", "return await client.fetch(2)");
  EXPECT_EQ(rewritten(a, b, "y = client.fetch(3)"), "y = await client.fetch(3)");
  EXPECT_EQ(rewritten(a, b, "y = await client.fetch(3)"), "");
  EXPECT_EQ(rewritten(a, b, "f(await client.fetch(3), client.fetch(4))"),
            "f(await client.fetch(3), await client.fetch(4))");
  const LinePair c = pair("vector<int> a;", "std::vector<int> a;"),
                 d = pair("const vector<int> b;", "const std::vector<int> b;");
  EXPECT_EQ(rewritten(c, d, "static vector<int> c;"), "static std::vector<int> c;");
  EXPECT_EQ(rewritten(c, d, "std::vector<int> c;"), "");
}

TEST(LineRewrite, AStringIsNotTakenApart) {
  const LinePair a = pair("check.assertEquals(total(x), y.z);",
                          "check.assertEquals(y.z, total(x));"),
                 b = pair("check.assertEquals(size, limit);", "check.assertEquals(limit, size);");
  EXPECT_EQ(rewritten(a, b, "check.assertEquals(\"one, two\");"), "");
  EXPECT_EQ(rewritten(a, b, "check.assertEquals(\"one\", two);"),
            "check.assertEquals(two, \"one\");");
}

// Where there are too many ways to fill the holes, none is looked for any more.
TEST(LineRewrite, HostileLinesEnd) {
  const LinePair a = pair("keep this p+1.q+2.r+3 end", "keep this r+3.q+2.p+1 end"),
                 b = pair("keep this s*4.t*5.u*6 end", "keep this u*6.t*5.s*4 end");
  EXPECT_EQ(rewritten(a, b, "keep this v/7.w.x(8) end"), "keep this x(8).w.v/7 end");
  std::string many = "keep this x0";  // three times as many as a hole takes
  for (int i = 1; i < 36; ++i) many += ".x" + std::to_string(i);
  EXPECT_EQ(rewritten(a, b, many + " end"), "");
  EXPECT_EQ(rewritten(a, b, "keep this " + std::string(5000, 'x') + ".x.x end"), "");
  EXPECT_EQ(rewritten(a, b, ""), "");
}

}  // namespace
}  // namespace redraft
