#include "workspace/documents/changing_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "workspace/documents/document.h"

namespace redraft {
namespace {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  // `line_ends` of 100 pieces end a line.
  std::string text(std::size_t pieces, std::size_t line_ends) {
    static const char* const kWords[] = {"a", "bc", " ", "é", "€", "😀", "\t", "word"};
    static const char* const kLineEnds[] = {"\n", "\r\n", "\r", "\n\r"};
    std::string text;
    for (; pieces > 0; --pieces) {
      text += below(100) < line_ends ? kLineEnds[below(std::size(kLineEnds))]
                                     : kWords[below(std::size(kWords))];
    }
    return text;
  }

 private:
  std::mt19937 engine_;
};

bool begins_character(const std::string& text, std::size_t offset) {
  return offset == text.size() || (static_cast<unsigned char>(text[offset]) & 0xC0) != 0x80;
}

std::size_t place_in(const std::string& text, Dice& dice) {
  std::size_t offset = dice.below(text.size() + 1);
  while (!begins_character(text, offset)) --offset;
  return offset;
}

// As units of UTF-16, plainly.
std::size_t walked(const std::string& text, std::size_t at, std::size_t units) {
  while (at < text.size() && text[at] != '\n' && text[at] != '\r') {
    std::size_t width = 1;
    while (!begins_character(text, at + width)) ++width;
    const std::size_t taken = width == 4 ? 2 : 1;
    if (taken > units) break;
    units -= taken;
    at += width;
  }
  return at;
}

std::size_t units_of(const TextCounts& counts) { return counts.characters + counts.wide; }

void expect_same(const ChangingText& changing, const std::string& text, Dice& dice) {
  ASSERT_EQ(changing.text(), text);
  const LineIndex lines(text);
  ASSERT_EQ(changing.line_count(), static_cast<std::size_t>(lines.line_count()));
  for (int i = 0; i < 20; ++i) {
    const std::size_t line = dice.below(changing.line_count());
    const std::size_t start = lines.start(static_cast<int>(line));
    ASSERT_EQ(changing.line_start(line), start);
    const std::size_t units = dice.below(i % 2 == 0 ? 20 : 20'000);
    ASSERT_EQ(changing.walk(start, units, units_of), walked(text, start, units));
    const std::size_t begin = place_in(text, dice);
    const std::size_t count = dice.below(text.size() - begin + 1);
    ASSERT_EQ(changing.substr(begin, count), text.substr(begin, count));
    if (begin < text.size()) {
      ASSERT_EQ(changing[begin], text[begin]);
    }
  }
}

// Texts of one piece and of many, with many lines and with few, that grow, shrink and vanish.
TEST(ChangingText, IsWhatAStringWouldBe) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Dice dice(seed);
    const std::size_t line_ends = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 3 : 60;
    std::string text = dice.text(dice.below(2) == 0 ? 20 : 6'000, line_ends);
    ChangingText changing(text);
    for (int round = 0; round < 60; ++round) {
      const std::size_t begin = place_in(text, dice);
      std::size_t end = begin;
      if (dice.below(3) > 0) end = std::min(text.size(), begin + dice.below(6));
      if (dice.below(10) == 0) end = begin + dice.below(text.size() - begin + 1);
      while (!begins_character(text, end)) ++end;
      const std::string fresh = dice.text(dice.below(dice.below(8) == 0 ? 2'000 : 4), line_ends);
      changing.replace({begin, end}, fresh);
      text.replace(begin, end - begin, fresh);
      ASSERT_NO_FATAL_FAILURE(expect_same(changing, text, dice)) << seed << " " << round;
    }
    changing.replace({0, text.size()}, "");
    ASSERT_NO_FATAL_FAILURE(expect_same(changing, "", dice)) << seed;
    changing.replace({0, 0}, "\r");
    changing.replace({1, 1}, "\n");
    ASSERT_NO_FATAL_FAILURE(expect_same(changing, "\r\n", dice)) << seed;
  }
}

// A "\r" and a "\n" that meet are one line end, wherever the pieces end.
TEST(ChangingText, LineEndsAcrossPieces) {
  for (std::size_t at = 1000; at < 1100; ++at) {
    const std::string text = std::string(at, 'x') + "\r\n" + std::string(4000, 'y');
    Dice dice(0);
    ChangingText changing(text);
    ASSERT_NO_FATAL_FAILURE(expect_same(changing, text, dice)) << at;
    ASSERT_EQ(changing.walk(0, 9'000, units_of), at);
    changing.replace({at, at + 1}, "");
    changing.replace({at, at}, "\r");
    ASSERT_NO_FATAL_FAILURE(expect_same(changing, text, dice)) << at;
  }
}

// How much work it is to replace a word in each of `n` lines (or, without line ends, in each of `n`
// pieces of one long line), in relation to the text and the changes.
double work_per_byte(std::size_t n, std::string_view line_end, bool upwards) {
  const std::string line =
      "the old word, and some more text around it to have a line" + std::string(line_end);
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += line;
  ChangingText changing(text);
  const std::string fresh = "young";
  std::size_t sent = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t number = upwards ? n - 1 - i : i;
    const std::size_t units =
        4 + (line_end.empty() ? number * line.size() + (upwards ? 0 : 2 * number) : 0);
    const std::size_t begin =
        changing.walk(changing.line_start(line_end.empty() ? 0 : number), units, units_of);
    EXPECT_EQ(changing.substr(begin, 3), "old");
    changing.replace({begin, begin + 3}, fresh);
    sent += fresh.size();
  }
  return static_cast<double>(changing.work()) / static_cast<double>(text.size() + sent);
}

TEST(ChangingText, ManyChangesCostWhatTextAndChangesAreLong) {
  for (const bool upwards : {false, true}) {
    const double few = work_per_byte(1'000, "\n", upwards);
    EXPECT_LT(work_per_byte(50'000, "\n", upwards), 1.5 * few) << upwards;
    EXPECT_LT(few, 200) << "a piece or two for each change";
  }
}

// Each place is found from the beginning of the line, but by pieces, not by characters.
TEST(ChangingText, ManyChangesOfOneLongLine) {
  for (const bool upwards : {false, true}) {
    const std::size_t n = 20'000;
    EXPECT_LT(work_per_byte(n, "", upwards), 400) << upwards;
  }
}

}  // namespace
}  // namespace redraft
