#include "bench/edit_similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace redraft {
namespace {

TEST(EditSimilarity, ComparesBareLines) {
  EXPECT_EQ(edit_similarity("a = 1\n", "a = 1\n"), 1);
  EXPECT_EQ(edit_similarity("\n  a = 1  \n\n", "a = 1"), 1) << "blanks around lines, blank lines";
  EXPECT_EQ(edit_similarity("", ""), 1);
  EXPECT_EQ(edit_similarity("", "abcd"), 0);
  EXPECT_EQ(edit_similarity("abcd", "wxyz"), 0);
  EXPECT_DOUBLE_EQ(edit_similarity("kitten", "sitting"), 1 - 3.0 / 7);
  EXPECT_DOUBLE_EQ(edit_similarity("x\nab", "x\nac"), 1 - 1.0 / 4) << "the line break counts";
}

TEST(EditSimilarity, TakesAsManyLinesAsTheReferenceHas) {
  EXPECT_EQ(edit_similarity("one\n\ntwo\nthree\nfour", "one\ntwo"), 1);
  EXPECT_DOUBLE_EQ(edit_similarity("one", "one\ntwo"), 1 - 4.0 / 7);
}

TEST(EditSimilarity, CountsCharactersNotBytes) {
  EXPECT_DOUBLE_EQ(edit_similarity("größe", "grösse"), 1 - 2.0 / 6);
  EXPECT_LT(edit_similarity("\xff\xfe", "\xff\x80"), 1) << "whatever the bytes are";
}

int slow_distance(const std::u32string& a, const std::u32string& b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  const std::u32string a1 = a.substr(1);
  const std::u32string b1 = b.substr(1);
  if (a[0] == b[0]) return slow_distance(a1, b1);
  return 1 + std::min({slow_distance(a1, b), slow_distance(a, b1), slow_distance(a1, b1)});
}

TEST(EditSimilarity, DistanceIsTheFewestSteps) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::u32string texts[2];
    for (std::u32string& text : texts) {
      text.resize(random() % 7);
      for (char32_t& c : text) c = U"abc"[random() % 3];
    }
    ASSERT_EQ(levenshtein_distance(texts[0], texts[1]), slow_distance(texts[0], texts[1]));
  }
}

}  // namespace
}  // namespace redraft
