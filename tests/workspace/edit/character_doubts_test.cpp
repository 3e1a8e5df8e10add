#include "workspace/edit/character_doubts.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft {
namespace {

// The reason why an edit that inserts `text` behind `before` is doubted; empty: it is not.
std::string doubt_about(const std::string& before, const std::string& text, ByteRange range) {
  const std::vector<Doubt> doubts = doubts_about_characters(before, {{range, text}});
  return doubts.empty() ? "" : doubts[0].reason;
}
std::string doubt_about(const std::string& text) { return doubt_about("", text, {0, 0}); }

TEST(CharacterDoubts, WhatCannotBeSeen) {
  EXPECT_EQ(doubt_about("if admin:\n    return True\n"), "");
  EXPECT_EQ(doubt_about("a\r\n\tb\r\n"), "");
  EXPECT_EQ(doubt_about("x = '\u202E } \u2066if'\n"),
            "it brings the character U+202E, which cannot be seen");
  EXPECT_EQ(doubt_about("us\u200Ber = 1\n"),
            "it brings the character U+200B, which cannot be seen");
  EXPECT_EQ(doubt_about("print('\x1B]0;x\x07')\n"),
            "it brings the character U+0007, which cannot be seen");
  EXPECT_EQ(doubt_about("naïve = 'Grüße, 世界 🙂'\n"), "");
}

TEST(CharacterDoubts, WhatWasThereIsNotBrought) {
  const std::string before = "x = '\u200B'\n";
  EXPECT_EQ(doubt_about(before, "y = '\u200B'\n", {0, before.size()}), "");
  EXPECT_NE(doubt_about(before, "y = '\u200B\u200B'\n", {0, before.size()}), "") << "one more";
  EXPECT_NE(doubt_about(before, "y = '\u200B'\n", {before.size(), before.size()}), "");
}

TEST(CharacterDoubts, NamesOfLettersThatLookAlike) {
  EXPECT_EQ(doubt_about("is_\u0430dmin = True\n"),  // a Cyrillic letter
            "the name 'is_\u0430dmin' mixes Latin letters with others that look like them");
  EXPECT_NE(doubt_about("\u039Fpen()\n"), "") << "a Greek capital";
  EXPECT_EQ(doubt_about("# привет, world\n"), "");
  EXPECT_EQ(doubt_about("Δt = αmax * 2\n"), "") << "Greek letters without a twin";
  EXPECT_EQ(doubt_about("use(is_\u0430dmin)\n", "print(is_\u0430dmin)\n", {0, 0}), "")
      << "the file has the name";
  EXPECT_NE(doubt_about("a\xFF"
                        "b \u0430b\n"),
            "")
      << "an invalid byte separates words";
}

TEST(CharacterDoubts, ConcernTheirEditAlone) {
  const std::vector<Doubt> doubts =
      doubts_about_characters("a\nb\n", {{{0, 1}, "c"}, {{2, 3}, "\u200Fd"}});
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].edits, std::vector<int>{1});
  EXPECT_FALSE(doubts[0].concerns_all);
}

}  // namespace
}  // namespace redraft
