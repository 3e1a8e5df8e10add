#include "decoding/drafting/redraft/survival_table.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

constexpr GuessKind kGrowing("growing", DraftOrigin::kCopy,
                             WhenFirst(.05, .26, .43, .54, .63, .67, .78, .86, .91, .95, .94),
                             WhenLater(.03, .15, .24, .34, .40, .41, .50, .51, .52, .53, .54));
constexpr GuessKind kEven("even", DraftOrigin::kReuse, WhenFirst::same(.9), WhenLater::same(.2));

TEST(SurvivalTable, BeginsWithThePriorsOfEachKind) {
  GuessKinds kinds;
  const GuessKindId growing = kinds.add(kGrowing);
  const GuessKindId even = kinds.add(kEven);
  const SurvivalTable table(kinds);
  EXPECT_DOUBLE_EQ(table.probability(growing, 0, true), .05);
  EXPECT_DOUBLE_EQ(table.probability(growing, 4, true), .63);
  EXPECT_DOUBLE_EQ(table.probability(growing, 5, true), .67);
  EXPECT_DOUBLE_EQ(table.probability(growing, 6, false), .41);
  EXPECT_DOUBLE_EQ(table.probability(growing, 48, true), .95);
  EXPECT_DOUBLE_EQ(table.probability(growing, 49, false), .54);
  EXPECT_DOUBLE_EQ(table.probability(growing, 1 << 20, true), .94);
  EXPECT_DOUBLE_EQ(table.probability(even, 7, true), .9);
  EXPECT_DOUBLE_EQ(table.probability(even, 7, false), .2);
}

// The example in survival_table.cpp.
TEST(SurvivalTable, LearnsWhatIsObservedThereAndNowhereElse) {
  GuessKinds kinds;
  const GuessKindId growing = kinds.add(kGrowing);
  const GuessKindId even = kinds.add(kEven);
  SurvivalTable table(kinds);
  for (int i = 0; i < 2; ++i) table.observe(growing, 5, true, true);
  EXPECT_NEAR(table.probability(growing, 5, true), .68, .005);
  for (int i = 0; i < 5; ++i) table.observe(growing, 5, true, false);
  EXPECT_NEAR(table.probability(growing, 6, true), .63, .005);
  EXPECT_DOUBLE_EQ(table.probability(growing, 4, true), .63);
  EXPECT_DOUBLE_EQ(table.probability(growing, 5, false), .41);
  EXPECT_DOUBLE_EQ(table.probability(even, 5, true), .9);
}

TEST(SurvivalTable, ForgetsWhatWasLongAgo) {
  GuessKinds kinds;
  const GuessKindId even = kinds.add(kEven);
  SurvivalTable table(kinds);
  for (int i = 0; i < 10000; ++i) table.observe(even, 1, true, true);
  for (int i = 0; i < 300; ++i) table.observe(even, 1, true, false);
  EXPECT_NEAR(table.probability(even, 1, true), .37, .01);  // 1/e of the first value is left
  for (int i = 0; i < 3000; ++i) table.observe(even, 1, true, false);
  EXPECT_LT(table.probability(even, 1, true), .001);
  EXPECT_GT(table.probability(even, 1, true), 0);
}

}  // namespace
}  // namespace redraft
