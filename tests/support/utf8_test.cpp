#include "support/utf8/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "support/utf8/hidden_characters.h"

namespace redraft {
namespace {

TEST(Utf8, KnowsWhatIsValid) {
  for (const char* valid :
       {"", "a", "é", "日本語", "🙂", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(first_invalid_utf8(valid), std::nullopt) << valid;
  }
  for (const char* invalid :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3("}) {
    const std::string text = "ascii and é " + std::string(invalid);
    EXPECT_EQ(first_invalid_utf8(text), 13) << invalid;
    EXPECT_EQ(first_invalid_utf8(with_replacement_characters(text)), std::nullopt);
  }
}

// Against the definition, spelled out: every code point's encoding is valid, everything else is
// not.
TEST(Utf8, AgreesWithTheDefinitionOnAllShortSequences) {
  const auto valid_by_definition = [](const unsigned char* bytes) {
    const auto continues = [&](int i) { return bytes[i] >= 0x80 && bytes[i] <= 0xBF; };
    if (bytes[0] < 0x80) return true;
    const std::uint32_t value =
        (bytes[0] & 0x0Fu) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
    return (bytes[0] & 0xF0) == 0xE0 && continues(1) && continues(2) && value >= 0x800 &&
           (value < 0xD800 || value > 0xDFFF);
  };
  for (std::uint32_t bits = 0; bits < 1 << 24; bits += 0x101) {
    const unsigned char bytes[] = {static_cast<unsigned char>(bits >> 16 | 0x80),
                                   static_cast<unsigned char>(bits >> 8),
                                   static_cast<unsigned char>(bits)};
    if ((bytes[0] & 0xF0) != 0xE0) continue;
    const std::string text(reinterpret_cast<const char*>(bytes), 3);
    EXPECT_EQ(!first_invalid_utf8(text), valid_by_definition(bytes)) << std::hex << bits;
  }
}

TEST(Utf8, DecodesTheFirstCharacter) {
  const auto first = [](std::string_view text) {
    const auto [code, bytes] = first_character(text);
    return std::pair(static_cast<std::uint32_t>(code), bytes);
  };
  EXPECT_EQ(first("ab"), std::pair(0x61U, std::size_t{1}));
  EXPECT_EQ(first("éb"), std::pair(0xE9U, std::size_t{2}));
  EXPECT_EQ(first("世"), std::pair(0x4E16U, std::size_t{3}));
  EXPECT_EQ(first("🙂"), std::pair(0x1F642U, std::size_t{4}));
  EXPECT_EQ(first("\xFF"), std::pair(0U, std::size_t{0}));
  EXPECT_EQ(first("\xE4\xB8"), std::pair(0U, std::size_t{0}));
}

TEST(HiddenCharacters, AreShownAsEscapes) {
  EXPECT_EQ(visible_text("a\tb\n世界 🙂 é\r\n"), "a\tb\n世界 🙂 é\r\n");
  EXPECT_EQ(visible_text("\x1B[2Jx\a\x7F"), "^[[2Jx^G^?");
  EXPECT_EQ(visible_text("a\rb"), "a^Mb") << "it would write over the line";
  EXPECT_EQ(visible_text("\xC2\x9B"
                         "2J"),
            "<U+009B>2J")
      << "begins a sequence, too";
  EXPECT_EQ(visible_text("x\u202Ey\u2066z\u200B"), "x<U+202E>y<U+2066>z<U+200B>");
  EXPECT_EQ(visible_text("\x9B\xE4\xB8"), "<9B><E4><B8>");
  EXPECT_EQ(visible_text("👩\u200D🔬 a\u200Db"), "👩\u200D🔬 a<U+200D>b");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "^@");
}

// What a terminal acts on is in no result, whatever the bytes.
TEST(HiddenCharacters, NothingThatATerminalActsOnIsLeft) {
  std::uint32_t seed = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      seed = seed * 1664525 + 1013904223;
      text += static_cast<char>(seed >> 24);
    }
    const std::string shown = visible_text(text);
    ASSERT_TRUE(is_utf8(shown));
    for (std::string_view rest = shown; !rest.empty();) {
      const auto [code, bytes] = first_character(rest);
      ASSERT_FALSE(is_hidden_character(code) && code != '\r' && code != 0x200C && code != 0x200D);
      ASSERT_TRUE(code != '\r' || rest.substr(1).starts_with('\n'));
      rest.remove_prefix(bytes);
    }
    ASSERT_EQ(visible_text(shown), shown) << "once is enough";
  }
}

TEST(Utf8, ShortensBetweenCharacters) {
  EXPECT_EQ(shortened("naïve", 6), "naïve");
  EXPECT_EQ(shortened("naïve", 5), "naïv…");
  EXPECT_EQ(shortened("naïve", 4), "naï…");
  EXPECT_EQ(shortened("naïve", 3), "na…");
  EXPECT_EQ(shortened("日本語", 5), "日…");
  EXPECT_EQ(shortened("日本語", 2), "…");
  EXPECT_EQ(shortened("", 0), "");
}

}  // namespace
}  // namespace redraft
