#include "workspace/documents/buffer_change.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace redraft {
namespace {

const std::string kText = "one\ntwo\nthree\nfour\n";
constexpr ByteRange kThree{8, 14};  // "three\n"

std::optional<ByteRange> after(const TextEdit& edit, ByteRange range,
                               const std::string& text = kText) {
  ChangingText changing(text);
  return rebase(apply_change(changing, edit), &range) ? std::optional(range) : std::nullopt;
}

TEST(Rebase, MovesWithChangesBefore) {
  EXPECT_EQ(after({{0, 3}, "number one"}, kThree), (ByteRange{15, 21}));
  EXPECT_EQ(after({{0, 8}, ""}, kThree), (ByteRange{0, 6}));
  EXPECT_EQ(after({{8, 8}, "two and a half\n"}, kThree), (ByteRange{23, 29}));
  EXPECT_EQ(after({{7, 7}, "!"}, kThree), (ByteRange{9, 15}));
}

TEST(Rebase, StaysForChangesBehind) {
  EXPECT_EQ(after({{14, 18}, "FOUR"}, kThree), kThree);
  EXPECT_EQ(after({{14, 14}, "x"}, kThree), kThree);
  EXPECT_EQ(after({{19, 19}, "five\n"}, kThree), kThree);
}

TEST(Rebase, GivesUpWhereTheTextItReplacesChanged) {
  EXPECT_EQ(after({{10, 11}, "R"}, kThree), std::nullopt);
  EXPECT_EQ(after({{8, 8}, "x"}, kThree), std::nullopt);    // typed at the start of its line
  EXPECT_EQ(after({{13, 13}, "x"}, kThree), std::nullopt);  // and at its end
  EXPECT_EQ(after({{7, 8}, ""}, kThree), std::nullopt);     // joined with the line before
  EXPECT_EQ(after({{0, 19}, "other"}, kThree), std::nullopt);
  EXPECT_EQ(after({{7, 15}, ""}, kThree), std::nullopt);
}

TEST(Rebase, AnInsertionStaysBetweenItsLines) {
  EXPECT_EQ(after({{8, 8}, "x"}, {8, 8}), (ByteRange{8, 8}));  // the next line may change
  EXPECT_EQ(after({{8, 13}, "THREE"}, {8, 8}), (ByteRange{8, 8}));
  EXPECT_EQ(after({{4, 7}, "TWO!"}, {8, 8}), (ByteRange{9, 9}));
  EXPECT_EQ(after({{7, 9}, ""}, {8, 8}), std::nullopt);
}

TEST(Rebase, TheEndOfAnOpenLastLineIsPartOfIt) {
  const std::string open = "one\ntwo";
  EXPECT_EQ(after({{7, 7}, "!"}, {7, 7}, open), std::nullopt);
  EXPECT_EQ(after({{7, 7}, "!"}, {4, 7}, open), std::nullopt);
  EXPECT_EQ(after({{0, 0}, "x"}, {7, 7}, open), (ByteRange{8, 8}));
}

TEST(Rebase, AWholeTextChangeIsWhatReallyChanged) {
  EXPECT_EQ(after({{0, 19}, "ONE\ntwo\nthree\nfour\n"}, kThree), kThree);
  EXPECT_EQ(after({{0, 19}, "zero\none\ntwo\nthree\nfour\n"}, kThree), (ByteRange{13, 19}));
  EXPECT_EQ(after({{0, 19}, kText}, kThree), kThree);
}

// A rebased range contains the text that it contained before.
TEST(Rebase, NeverPointsAtOtherText) {
  std::mt19937 random(5);
  int kept = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i)
      text += std::string(1 + random() % 3, static_cast<char>('a' + random() % 3)) + "\n";
    const auto range_in = [&](std::size_t size) {
      const std::size_t begin = random() % (size + 1);
      return ByteRange{begin, begin + random() % (size - begin + 1)};
    };
    const TextEdit edit{range_in(text.size()),
                        std::string(random() % 3, 'a') + (random() % 2 ? "\n" : "")};
    const ByteRange range = range_in(text.size());
    const std::optional<ByteRange> moved = after(edit, range, text);
    if (!moved) continue;
    ++kept;
    const std::string changed = apply_edits(text, {edit});
    ASSERT_LE(moved->end, changed.size());
    ASSERT_EQ(changed.substr(moved->begin, moved->size()), text.substr(range.begin, range.size()));
  }
  EXPECT_GT(kept, 2000);
}

}  // namespace
}  // namespace redraft
