#include "support/utf8/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>

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
