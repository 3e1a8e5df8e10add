#include "decoding/chunk_sizer.h"

#include <gtest/gtest.h>

#include <functional>

namespace redraft {
namespace {

// The rows and seconds of the longest chunk, not counting the first `after`, on a machine with that
// price.
struct Longest {
  int rows = 0;
  double seconds = 0;
};

Longest longest_chunk(ChunkSizer sizer, const std::function<double(int)>& price, int after) {
  Longest longest;
  for (int i = 0; i < 60; ++i) {
    const int rows = sizer.rows();
    const double seconds = price(rows);
    if (i >= after) longest = {std::max(longest.rows, rows), std::max(longest.seconds, seconds)};
    sizer.measured(rows, seconds);
  }
  return longest;
}

// A pass takes the time for reading the weights or for multiplying them, whichever is longer.
std::function<double(int)> machine(double read, double multiply) {
  return [=](int rows) { return std::max(read, multiply * rows); };
}

TEST(ChunkSizer, BeginsWithOneRowAndGrowsToTheLimit) {
  const ChunkSizer sizer;
  EXPECT_EQ(sizer.rows(), 1);
  const auto price = machine(0.05, 0.005);
  EXPECT_LE(longest_chunk(sizer, price, 0).seconds, kMaxChunkSeconds);
  const Longest grown = longest_chunk(sizer, price, 6);
  EXPECT_GE(grown.rows, 32);
  EXPECT_LE(grown.rows, 50);
}

TEST(ChunkSizer, CorrectsACurveThatIsWrong) {
  // In reality a row takes ten times as long as the curve says: one chunk is too long, no other.
  const CostCurve curve({{1, 0.01}, {64, 0.06}});
  const ChunkSizer sizer(curve);
  EXPECT_GE(sizer.rows(), 128);
  const auto price = machine(0.02, 0.01);
  EXPECT_GT(longest_chunk(sizer, price, 0).seconds, 1);
  EXPECT_LE(longest_chunk(sizer, price, 1).seconds, kMaxChunkSeconds);
}

TEST(ChunkSizer, GrowsAgainAfterABusyMoment) {
  ChunkSizer sizer(CostCurve({{1, 0.05}, {64, 0.3}}));
  sizer.measured(sizer.rows(), 20);
  EXPECT_EQ(sizer.rows(), 1);
  EXPECT_GE(longest_chunk(sizer, machine(0.05, 0.005), 8).rows, 32);
}

TEST(ChunkSizer, OnASlowMachineAChunkIsTwoSteps) {
  // If one step takes 0.4 s, rows that cost nothing extra are used, and no others.
  EXPECT_GE(longest_chunk(ChunkSizer(), machine(0.4, 0.01), 10).rows, 40);
  for (const double multiply : {0.01, 0.1, 0.4}) {
    EXPECT_LE(longest_chunk(ChunkSizer(), machine(0.4, multiply), 0).seconds, 0.8) << multiply;
  }
}

TEST(ChunkSizer, StaysWithinItsBounds) {
  EXPECT_EQ(longest_chunk(ChunkSizer(), machine(0, 0), 0).rows, kMaxChunkRows);
  ChunkSizer sizer;
  sizer.measured(1, 1e9);
  EXPECT_GE(sizer.rows(), 1);
  EXPECT_LE(sizer.rows(), 2);
}

TEST(ChunkSizer, ACurveAlonePutsRowsInAChunk) {
  EXPECT_EQ(priced_chunk_rows({}), kMaxChunkRows);
  EXPECT_EQ(priced_chunk_rows(CostCurve({{1, 0.05}, {32, 0.2}, {64, 0.4}})), 32);
  EXPECT_EQ(priced_chunk_rows(CostCurve({{1, 10.0}, {2, 19.0}, {4, 38.0}})), 2);
}

}  // namespace
}  // namespace redraft
