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

TEST(LineRewrite, WhatDiffersIsAHoleAndStaysWhatItIs) {
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
  const std::string text = documents.find("file:///a")->text();
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

// The rule makes both changes that it was learned from, whatever they are, and ends on any line.
TEST(LineRewrite, MakesTheChangesThatItWasLearnedFrom) {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"a", "bb", "cc", "(", ")", ",", " ", ".", "[", "]", "dd"};
  const auto line = [&] {
    std::string text = "keep this ";
    for (int n = static_cast<int>(random() % 12); n > 0; --n)
      text += words[random() % words.size()];
    return text + "end";
  };
  int learned = 0;
  for (int i = 0; i < 20'000; ++i) {
    const LinePair a = pair(line(), line());
    LinePair b = a;
    if (random() % 2 == 0) {
      for (std::string* text : {&b.before, &b.after}) {
        for (std::size_t at; (at = text->find("bb")) != std::string::npos;)
          text->replace(at, 2, "zz");
      }
    } else {
      b = pair(line(), line());
    }
    const auto rule = LineRewrite::learn(a, b);
    if (!rule) continue;
    ++learned;
    for (const LinePair& each : {a, b}) {
      if (each.before != each.after) {
        EXPECT_EQ(rule->apply(each.before), each.after) << a.before << " | " << b.before;
      }
    }
    (void)rule->apply(line());
  }
  EXPECT_GT(learned, 1000);
}

TEST(LineRewrite, HostileLinesEnd) {
  std::string many;
  for (int i = 0; i < 40; ++i) many += "x.x.x.x,";
  const LinePair a = pair("keep this f(a+1,b+1,c+1,d)", "keep this f(d,c+1,b+1,a+1)"),
                 b = pair("keep this f(e*2,g*2,h*2,i)", "keep this f(i,h*2,g*2,e*2)");
  EXPECT_EQ(rewritten(a, b, "keep this f(1.0,n(2),x,y)"), "keep this f(y,x,n(2),1.0)");
  EXPECT_EQ(rewritten(a, b, "keep this f(" + many), "");
  EXPECT_EQ(rewritten(a, b, std::string(5000, 'x')), "");
  EXPECT_EQ(rewritten(a, b, ""), "");
}

}  // namespace
}  // namespace redraft
