#include "bench/quality/half.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft {
namespace {

TEST(Halves, AreTheSameEverywhere) {
  // The same as in tests/bench/instructions_test.py.
  EXPECT_EQ(half_of("python/add-docstring"), Half::kTest);
  EXPECT_EQ(half_of("rust/derive"), Half::kDev);
  EXPECT_EQ(half_of("cpp/make-const"), Half::kTest);
}

TEST(Halves, AreHalves) {
  int in_dev = 0;
  for (int i = 0; i < 1000; ++i) in_dev += half_of("task/" + std::to_string(i)) == Half::kDev;
  EXPECT_GT(in_dev, 400);
  EXPECT_LT(in_dev, 600);
}

}  // namespace
}  // namespace redraft
