#include "lsp/wire/convert.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace redraft::lsp {
namespace {

std::shared_ptr<const Document> document(std::string text) {
  Result<std::shared_ptr<const Document>> made = Document::make("file:///a", 1, std::move(text));
  EXPECT_TRUE(made);
  return *made;
}

std::size_t offset(const std::string& text, Position position, Encoding encoding) {
  const auto made = document(text);
  return to_offset(made->text(), made->lines(), position, encoding);
}

TEST(Convert, CountsUnitsOfTheEncoding) {
  const std::string text = "aé€😀z\n";  // 1, 2, 3, 4 and 1 bytes
  EXPECT_EQ(offset(text, {0, 10}, Encoding::kUtf8), 10U);
  EXPECT_EQ(offset(text, {0, 5}, Encoding::kUtf16), 10U);
  EXPECT_EQ(offset(text, {0, 4}, Encoding::kUtf32), 10U);
}

TEST(Convert, APositionInsideACharacterMeansItsStart) {
  const std::string text = "a😀z";
  EXPECT_EQ(offset(text, {0, 2}, Encoding::kUtf16), 1U);
  for (int character = 2; character < 5; ++character) {
    EXPECT_EQ(offset(text, {0, character}, Encoding::kUtf8), 1U);
  }
  EXPECT_EQ(offset(text, {0, 2}, Encoding::kUtf32), 5U);
}

TEST(Convert, BeyondTheLineMeansItsEndBeforeTheTerminator) {
  const std::string text = "ab\r\ncd\nef\rgh";
  EXPECT_EQ(offset(text, {0, 99}, Encoding::kUtf16), 2U);
  EXPECT_EQ(offset(text, {1, 99}, Encoding::kUtf16), 6U);
  EXPECT_EQ(offset(text, {2, 99}, Encoding::kUtf16), 9U);
  EXPECT_EQ(offset(text, {3, 99}, Encoding::kUtf16), 12U);
  EXPECT_EQ(offset(text, {3, 0}, Encoding::kUtf16), 10U);
}

TEST(Convert, BeyondTheLastLineMeansTheEnd) {
  EXPECT_EQ(offset("ab\n", {1, 0}, Encoding::kUtf16), 3U);
  EXPECT_EQ(offset("ab\n", {2, 0}, Encoding::kUtf16), 3U);
  EXPECT_EQ(offset("ab", {2147483647, 2147483647}, Encoding::kUtf16), 2U);
  EXPECT_EQ(offset("", {5, 5}, Encoding::kUtf16), 0U);
}

TEST(Convert, ARangeTurnedRoundIsTheSameRange) {
  const auto made = document("one\ntwo\n");
  EXPECT_EQ(to_bytes(*made, {{1, 1}, {0, 1}}, Encoding::kUtf16), (ByteRange{1, 5}));
}

// The definition, slow and plain: lines split at every terminator, characters counted one by one.
struct Reference {
  explicit Reference(const std::string& text) {
    std::string line;
    for (std::size_t i = 0; i < text.size(); ++i) {
      line += text[i];
      const bool ends =
          text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
      if (!ends) continue;
      lines.push_back(line);
      line.clear();
    }
    lines.push_back(line);
  }

  std::size_t offset(Position position, Encoding encoding) const {
    std::size_t before = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (static_cast<int>(i) == position.line)
        return before + within(lines[i], position.character, encoding);
      before += lines[i].size();
    }
    return before;
  }

  static std::size_t within(const std::string& line, int character, Encoding encoding) {
    std::size_t at = 0;
    int units = 0;
    while (at < line.size() && line[at] != '\r' && line[at] != '\n') {
      std::size_t width = 1;
      while (at + width < line.size() &&
             (static_cast<unsigned char>(line[at + width]) & 0xC0) == 0x80)
        ++width;
      units += encoding == Encoding::kUtf8                  ? static_cast<int>(width)
               : encoding == Encoding::kUtf16 && width == 4 ? 2
                                                            : 1;
      if (units > character) break;
      at += width;
    }
    return at;
  }

  std::vector<std::string> lines;
};

constexpr Encoding kEncodings[] = {Encoding::kUtf8, Encoding::kUtf16, Encoding::kUtf32};

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(limit)); }
  std::string text(int most) {
    static const char* const kPieces[] = {"a", "bc", " ", "\n", "\r\n", "\r",
                                          "é", "€",  "😀", "\t", "\n\n", "x\r\ny"};
    std::string text;
    for (int pieces = below(most + 1); pieces > 0; --pieces)
      text += kPieces[below(std::size(kPieces))];
    return text;
  }
  Position position() { return {below(12), below(14)}; }

 private:
  std::mt19937 engine_;
};

TEST(Convert, AgreesWithTheReferenceEverywhere) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    Dice dice(seed);
    const auto made = document(dice.text(30));
    const Reference reference(made->text());
    for (const Encoding encoding : kEncodings) {
      for (int i = 0; i < 20; ++i) {
        const Position position = dice.position();
        const std::size_t at = to_offset(made->text(), made->lines(), position, encoding);
        ASSERT_EQ(at, reference.offset(position, encoding)) << "seed " << seed;
        const Position back = to_position(made->text(), made->lines(), at, encoding);
        ASSERT_EQ(to_offset(made->text(), made->lines(), back, encoding), at) << "seed " << seed;
      }
    }
  }
}

// One didChange of several changes: each against the text that the previous one left.
TEST(Convert, ChangesEqualTheReferenceAppliedOneByOne) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    Dice dice(seed);
    const auto made = document(dice.text(40));
    const Encoding encoding = kEncodings[seed % 3];
    std::vector<ContentChange> changes(dice.below(6));
    std::string expected = made->text();
    for (ContentChange& change : changes) {
      change.text = dice.text(6);
      if (dice.below(20) == 0) {
        expected = change.text;
        continue;
      }
      Position start = dice.position();
      Position end = dice.position();
      if (seed % 2 == 0) end = {start.line, start.character + dice.below(3)};
      change.range = Range{start, end};
      const Reference reference(expected);
      std::size_t begin = reference.offset(start, encoding);
      std::size_t finish = reference.offset(end, encoding);
      if (finish < begin) std::swap(begin, finish);
      expected.replace(begin, finish - begin, change.text);
    }
    std::string text = made->text();
    for (const TextEdit& edit : to_edits(*made, changes, encoding))
      text = apply_edits(text, {edit});
    ASSERT_EQ(text, expected) << "seed " << seed;
  }
}

// What an editor with many cursors sends: changes from the bottom up, or each at its place after
// the changes before it.
TEST(Convert, ManyCursorsFromTheBottomUp) {
  std::string text;
  for (int line = 0; line < 200; ++line) text += "word\r\n";
  const auto made = document(text);
  std::vector<ContentChange> changes;
  for (int line = 199; line >= 0; --line) changes.push_back({Range{{line, 2}, {line, 4}}, "😀\r"});
  std::string changed = text;
  for (const TextEdit& edit : to_edits(*made, changes, Encoding::kUtf16))
    changed = apply_edits(changed, {edit});
  std::string expected;
  for (int line = 0; line < 200; ++line) expected += "wo😀\r\r\n";
  EXPECT_EQ(changed, expected);
}

}  // namespace
}  // namespace redraft::lsp
