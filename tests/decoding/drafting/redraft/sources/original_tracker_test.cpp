// The pointer into the original, with one letter per token. The example is that of
// original_tracker.cpp.
#include "decoding/drafting/redraft/sources/original_tracker.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft {
namespace {

std::vector<TokenId> tokens_of(const std::string& text) { return {text.begin(), text.end()}; }

class OriginalTrackerTest : public testing::Test {
 protected:
  // The state after the output has gone on with `text`.
  const OriginalState& write(const std::string& text) {
    for (const char token : text) {
      output_.push_back(token);
      state_ = tracker_.follow(state_, output_);
    }
    return state_;
  }
  // How strongly it is expected that `token` of the original is replaced; -1: not at all.
  int strength_of(char token) const {
    const int found = tracker_.substitutions().applicable(tokens_of(std::string(1, token)));
    return found < 0 ? -1 : tracker_.substitutions().strength(found);
  }

  OriginalTracker tracker_{tokens_of("abcdefghijkcl"), nullptr};
  OriginalState state_;
  std::vector<TokenId> output_;
};

TEST_F(OriginalTrackerTest, SixEqualTokensMoveThePointer) {
  EXPECT_TRUE(write("ab").in_sync);
  EXPECT_FALSE(write("X").in_sync);
  EXPECT_FALSE(write("defgh").in_sync) << "five";
  EXPECT_EQ(state_.pointer, 2) << "it stays where the output left the original";
  EXPECT_EQ(state_.astray, 6);
  EXPECT_TRUE(write("i").in_sync);
  EXPECT_EQ(state_.pointer, 9);
  EXPECT_EQ(state_.match, 6);
}

TEST_F(OriginalTrackerTest, ThePointerMayMoveBack) {
  write("abcdefghij");
  EXPECT_FALSE(write("Xbcdef").in_sync);
  EXPECT_TRUE(write("g").in_sync);
  EXPECT_EQ(state_.pointer, 7);
}

TEST_F(OriginalTrackerTest, ExpectsAReplacementUntilItIsContradicted) {
  write("abXdefghi");
  const int learned = strength_of('c');
  EXPECT_GT(learned, 0);
  EXPECT_EQ(strength_of('d'), -1);
  write("jkcl");
  EXPECT_TRUE(state_.in_sync);
  EXPECT_EQ(strength_of('c'), 0) << "made once, and then not";
}

TEST_F(OriginalTrackerTest, RepeatedReplacementsAreStronger) {
  write("abXYdefghi");
  const int learned = strength_of('c');
  EXPECT_TRUE(write("jkXY").in_sync);
  EXPECT_EQ(state_.pointer, 12);
  EXPECT_GT(strength_of('c'), learned);
}

}  // namespace
}  // namespace redraft
