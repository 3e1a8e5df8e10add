#include "text/unicode.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace redraft {
namespace {

std::string utf8(std::uint32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

TEST(Unicode, CountsOfEveryKindAreThoseOfUnicode16) {
  std::array<int, 4> count{};
  int n_punctuation = 0;
  int n_numeric = 0;
  int n_marks = 0;
  int n_upper = 0;
  int n_lower = 0;
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string text = utf8(c);
    const Character character = character_at(text, 0);
    ASSERT_EQ(character.length, text.size()) << std::hex << c;
    ++count[static_cast<std::size_t>(character.kind)];
    n_punctuation += character.punctuation;
    n_numeric += character.numeric;
    n_marks += character.mark;
    n_upper += character.upper;
    n_lower += character.lower;
    ASSERT_TRUE(!character.punctuation || character.kind == CharacterKind::kSymbol);
    ASSERT_TRUE(!character.mark || character.kind == CharacterKind::kSymbol);
    ASSERT_TRUE(!character.upper || character.kind == CharacterKind::kLetter);
    ASSERT_TRUE(!character.lower || character.kind == CharacterKind::kLetter);
    ASSERT_FALSE(character.upper && character.lower);
    ASSERT_TRUE(character.numeric || character.kind != CharacterKind::kNumber);
  }
  EXPECT_EQ(count[static_cast<std::size_t>(CharacterKind::kLetter)], 141028);
  EXPECT_EQ(count[static_cast<std::size_t>(CharacterKind::kNumber)], 1911);
  EXPECT_EQ(count[static_cast<std::size_t>(CharacterKind::kSpace)], 25);
  EXPECT_EQ(n_punctuation, 855);
  EXPECT_EQ(n_marks, 2501);
  EXPECT_EQ(n_upper, 1889);  // 31 of them are in title case
  EXPECT_EQ(n_lower, 2258);
  EXPECT_EQ(n_numeric, 1911 + 13);  // the package's Digits knows those of Unicode 17
}

TEST(Unicode, KnowsWhatOlderTablesDoNot) {
  EXPECT_EQ(character_at("\u1C89", 0).kind, CharacterKind::kLetter);      // new in 16.0
  EXPECT_EQ(character_at("\U00010D40", 0).kind, CharacterKind::kNumber);  // new in 16.0
  EXPECT_EQ(character_at("\u088F", 0).kind, CharacterKind::kSymbol);      // a letter since 17.0
  EXPECT_TRUE(character_at("\u0301", 0).mark);
  EXPECT_TRUE(character_at("\u0897", 0).mark);   // new in 16.0
  EXPECT_FALSE(character_at("\u1ACF", 0).mark);  // a mark since 17.0
  EXPECT_TRUE(character_at("\u01C5", 0).upper);  // in title case
  EXPECT_TRUE(character_at("\u1C8A", 0).lower);  // new in 16.0
  EXPECT_FALSE(character_at("\u02B0", 0).upper || character_at("\u02B0", 0).lower);  // Lm
  EXPECT_EQ(character_at("\u0085", 0).kind, CharacterKind::kSpace);
  EXPECT_EQ(character_at("\x1c", 0).kind, CharacterKind::kSymbol);
}

TEST(Unicode, AByteOutsideAWellFormedSequenceIsASymbol) {
  const std::string cases[] = {
      "\x80",              // a continuation byte alone
      "\xC3",              // cut short
      "\xC3(",             // followed by something else
      "\xC0\xA0",          // overlong
      "\xE0\x80\xA0",      // overlong
      "\xED\xA0\x80",      // a surrogate
      "\xE4\xBD",          // cut short
      "\xF0\x80\x80\xA0",  // overlong
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF0\x9F\x98",      // cut short
      "\xFF",
  };
  for (const std::string& text : cases) {
    const Character character = character_at(text, 0);
    EXPECT_EQ(character.kind, CharacterKind::kSymbol);
    EXPECT_EQ(character.length, 1);
  }
}

}  // namespace
}  // namespace redraft
