#include "tuning/lora_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace redraft {
namespace {

TransformerShape shape() {
  TransformerShape shape;
  shape.layers = 3;
  shape.hidden = 32;
  shape.feed_forward = 48;
  shape.heads = 4;
  shape.kv_heads = 1;
  shape.head_dim = 16;
  return shape;
}

TEST(LoraLayout, PairsFillTheArrayWithoutGaps) {
  const LoraLayout layout(shape(), {.rank = 5});
  ASSERT_EQ(layout.pairs().size(), 21U);
  std::size_t next = 0;
  for (const LoraPair& pair : layout.pairs()) {
    EXPECT_EQ(pair.a, next);
    EXPECT_EQ(pair.b, pair.a + static_cast<std::size_t>(5 * pair.in));
    next = pair.b + static_cast<std::size_t>(5 * pair.out);
    EXPECT_EQ(layout.find(pair.layer, pair.role), &pair);
  }
  EXPECT_EQ(layout.size(), next);
}

TEST(LoraLayout, ShapesAreThoseOfTheMatrices) {
  const LoraLayout layout(shape(), {});
  const auto expect = [&](LinearRole role, std::int64_t in, std::int64_t out) {
    EXPECT_EQ(layout.find(1, role)->in, in) << to_string(role);
    EXPECT_EQ(layout.find(1, role)->out, out) << to_string(role);
  };
  expect(LinearRole::kQuery, 32, 64);
  expect(LinearRole::kKey, 32, 16);
  expect(LinearRole::kValue, 32, 16);
  expect(LinearRole::kOutput, 64, 32);
  expect(LinearRole::kGate, 32, 48);
  expect(LinearRole::kUp, 32, 48);
  expect(LinearRole::kDown, 48, 32);
}

TEST(LoraLayout, KnowsWhatIsNotAdapted) {
  const LoraLayout layout(shape(), {.adapted = {LinearRole::kDown, LinearRole::kKey}});
  EXPECT_EQ(layout.find(2, LinearRole::kGate), nullptr);
  EXPECT_EQ(layout.find(2, LinearRole::kKey)->name, "model.layers.2.self_attn.k_proj");
  EXPECT_EQ(layout.find(2, LinearRole::kDown)->name, "model.layers.2.mlp.down_proj");
}

TEST(LoraLayout, NamesOfRolesAreReadBack) {
  for (int i = 0; i < kLinearRoles; ++i)
    EXPECT_EQ(linear_role(to_string(static_cast<LinearRole>(i))), static_cast<LinearRole>(i));
  EXPECT_EQ(linear_role("q"), std::nullopt);
}

TEST(LoraLayout, StartsWithSmallRandomAAndWithoutB) {
  const LoraLayout layout(shape(), {});
  std::vector<float> first(layout.size(), 7), again(layout.size()), other(layout.size());
  layout.fill_initial(first, 1);
  layout.fill_initial(again, 1);
  layout.fill_initial(other, 2);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  for (const LoraPair& pair : layout.pairs()) {
    const double bound = 1 / std::sqrt(static_cast<double>(pair.in));
    double squares = 0;
    for (std::size_t i = pair.a; i < pair.b; ++i) {
      EXPECT_LE(std::fabs(first[i]), bound);
      squares += first[i] * first[i];
    }
    // A uniform distribution has a third of the bound's square.
    EXPECT_NEAR(squares / static_cast<double>(pair.b - pair.a), bound * bound / 3,
                bound * bound / 15);
    const auto b = first.begin() + static_cast<std::ptrdiff_t>(pair.b);
    EXPECT_TRUE(std::all_of(b, b + 16 * pair.out, [](float each) { return each == 0; }));
  }
}

}  // namespace
}  // namespace redraft
