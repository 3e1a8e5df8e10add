// The search for what self-speculative decoding leaves out, and what it goes by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/skip_meter.h"
#include "bench/skip_search.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

int n_left_out(const SkippedLayers& skipped) {
  return static_cast<int>(std::ranges::count(skipped.attention, true) +
                          std::ranges::count(skipped.feed_forward, true));
}

// How many of 2 * layers sublayers are as in `wanted`.
double likeness(const SkippedLayers& skipped, const SkippedLayers& wanted) {
  double same = 0;
  for (std::size_t i = 0; i < wanted.attention.size(); ++i) {
    same += skipped.attention[i] == wanted.attention[i];
    same += skipped.feed_forward[i] == wanted.feed_forward[i];
  }
  return same;
}

std::vector<std::string> searched(SkipSearch search, const SkippedLayers& wanted, int count) {
  std::vector<std::string> sets;
  while (static_cast<int>(sets.size()) < count) {
    const std::optional<SkippedLayers> skipped = search.next();
    if (!skipped) break;
    sets.push_back(to_string(*skipped));
    search.learn(likeness(*skipped, wanted));
  }
  sets.push_back(to_string(search.best()));
  return sets;
}

TEST(SkipSearch, ClimbsToASetThatNothingNearBeats) {
  const SkippedLayers wanted = *parse_skipped_layers("a2-4+a9+m3+m7+m11", 12);
  for (std::uint32_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(searched(SkipSearch(12, seed), wanted, 1000).back(), to_string(wanted)) << seed;
}

TEST(SkipSearch, TriesNoSetTwiceAndNeverTheEmptyOne) {
  std::vector<std::string> sets =
      searched(SkipSearch(2, 0), *parse_skipped_layers("a0+m1", 2), 1000);
  sets.pop_back();
  EXPECT_EQ(sets.size(), 14U) << "all but the one that is four changes from the best";
  EXPECT_EQ(std::set(sets.begin(), sets.end()).size(), sets.size());
  EXPECT_EQ(std::ranges::count(sets, ""), 0);
}

TEST(SkipSearch, IsDecidedByItsSeed) {
  const SkippedLayers wanted = *parse_skipped_layers("a2-4+m3", 12);
  const auto sets = searched(SkipSearch(12, 1), wanted, 50);
  EXPECT_EQ(searched(SkipSearch(12, 1), wanted, 50), sets);
  EXPECT_NE(searched(SkipSearch(12, 2), wanted, 50), sets);
}

TEST(SkipSearch, BeginsWithWhatIsKnownOfTheModel) {
  const SkippedLayers known = *parse_skipped_layers("m5+a7", 12);
  EXPECT_EQ(*SkipSearch(12, 0, known).next(), known);
  EXPECT_EQ(SkipSearch(13, 0, known).next()->layers(), 13) << "that is of another model";
}

TEST(SkipSearch, OneLayerIsEnough) {
  SkipSearch search(1, 0);
  std::set<std::string> sets;
  while (const std::optional<SkippedLayers> skipped = search.next()) {
    sets.insert(to_string(*skipped));
    search.learn(1);
  }
  EXPECT_EQ(sets, (std::set<std::string>{"a0", "m0", "a0+m0"}));
}

TokenId count_on(std::span<const TokenId> sequence) { return sequence.back() + 1; }

// Counts on; a draft counts on, too, but for the sequences that `errs` picks.
class SkippingModel : public ScriptedModel {
 public:
  using Errs = std::function<bool(const SkippedLayers&, TokenId last)>;
  explicit SkippingModel(Errs errs) : ScriptedModel(400, 400, count_on), errs_(std::move(errs)) {
    set_skipping(4, count_on, [](std::span<const TokenId>) { return 0.9F; });
  }
  DraftedToken draft_step(std::span<const TokenId> context, const SkippedLayers& skipped,
                          KvCache& cache) override {
    ++steps;
    const bool wrong = errs_(skipped, context.back());
    DraftedToken next = ScriptedModel::draft_step(context, skipped, cache);
    if (wrong) next.token = 0;
    return next;
  }
  double drafting_share(const SkippedLayers& skipped) const override {
    return 1 - 0.1 * n_left_out(skipped);
  }

  int steps = 0;

 private:
  Errs errs_;
};

Tokens numbers(TokenId first, TokenId last) {
  Tokens tokens;
  for (TokenId token = first; token <= last; ++token) tokens.push_back(token);
  return tokens;
}

const CostCurve kFlat({{1, 0.1}, {16, 0.1}});

SkipScore score_of(SkippingModel& model, const Tokens& output, const CostCurve& curve = kFlat) {
  SkipMeter meter(model, curve);
  EXPECT_TRUE(meter.add({1, 2, 3}, output, {}));
  return *meter.measure(*parse_skipped_layers("a1+m2", 4), {});
}

// The first of 19 tokens is the target's, then two drafts of 8 and the token after each follow.
TEST(SkipMeter, CountsWhatSelfspecWouldWrite) {
  SkippingModel model([](const SkippedLayers&, TokenId) { return false; });
  const SkipScore score = score_of(model, numbers(4, 22));
  EXPECT_EQ(score.drafts, 2);
  EXPECT_EQ(score.drafted, 16);
  EXPECT_EQ(score.accepted, 16);
  EXPECT_EQ(score.tokens(), 18);
  EXPECT_DOUBLE_EQ(score.share, 0.8);
  EXPECT_NEAR(score.seconds, 16 * 0.8 * 0.1 + 2 * 0.1, 1e-12);
  EXPECT_NEAR(score.plain_seconds, 1.8, 1e-12);
  EXPECT_EQ(model.steps, 16) << "a set costs its draft steps alone";
}

// After a wrong token the draft goes on, as nobody tells it, and nothing of that counts.
TEST(SkipMeter, WhatFollowsAWrongTokenIsNotAccepted) {
  SkippingModel model([](const SkippedLayers&, TokenId last) { return last == 6; });
  const SkipScore score = score_of(model, numbers(4, 22));
  EXPECT_EQ(score.drafted, 16);
  EXPECT_EQ(score.accepted, 2 + 8);
  EXPECT_EQ(score.tokens(), 12);
}

// A draft has no more tokens than the text has to hold it against.
TEST(SkipMeter, TheEndOfTheTextIsTheEndOfADraft) {
  SkippingModel model([](const SkippedLayers&, TokenId) { return false; });
  const SkipScore score = score_of(model, numbers(4, 15));
  EXPECT_EQ(score.drafts, 2);
  EXPECT_EQ(score.drafted, 8 + 2);
  EXPECT_EQ(score_of(model, {4, 5}).drafted, 1);
}

TEST(SkipMeter, RowsOfTheVerifyingPassArePriced) {
  SkippingModel model([](const SkippedLayers&, TokenId) { return false; });
  const SkipScore score = score_of(model, numbers(4, 13), CostCurve({{1, 0.1}, {9, 0.5}}));
  EXPECT_NEAR(score.seconds, 8 * 0.8 * 0.1 + 0.5, 1e-12);
}

// The scripted model throws if it reads what a draft wrote.
TEST(SkipMeter, EverySetFindsTheTextAsTheTargetReadIt) {
  SkippingModel model([](const SkippedLayers& skipped, TokenId last) {
    return skipped.feed_forward[0] && last % 2 == 0;
  });
  SkipMeter meter(model, kFlat);
  EXPECT_TRUE(meter.empty());
  ASSERT_TRUE(meter.add({1, 2, 3}, numbers(4, 90), {}));
  ASSERT_TRUE(meter.add({7}, {8}, {})) << "nothing to draft";
  ASSERT_TRUE(meter.add({7}, numbers(8, 40), {}));
  const SkippedLayers good = *parse_skipped_layers("a1+m2", 4);
  const SkipScore first = *meter.measure(good, {});
  EXPECT_EQ(meter.measure(good, {})->accepted, first.accepted);
  const SkipScore bad = *meter.measure(*parse_skipped_layers("a1+m0", 4), {});
  EXPECT_LT(bad.accepted, first.accepted / 2);
  EXPECT_LT(bad.speedup(), first.speedup());
  EXPECT_EQ(meter.measure(good, {})->accepted, first.accepted);
}

TEST(SkipMeter, StopsWithinAStep) {
  std::stop_source source;
  SkippingModel model([&](const SkippedLayers&, TokenId last) {
    if (last == 60) source.request_stop();
    return false;
  });
  SkipMeter meter(model, kFlat);
  ASSERT_TRUE(meter.add({1, 2, 3}, numbers(4, 90), {}));
  EXPECT_FALSE(meter.measure(*parse_skipped_layers("a1", 4), source.get_token()));
  EXPECT_LT(model.steps, 60) << "what is before the place was not drafted";
  EXPECT_FALSE(meter.add({1, 2}, {3, 4}, source.get_token()));
}

// Attention of layer 1 and the MLP of layer 2 can be spared; each other one costs an eighth of the
// tokens.
TEST(SkipSearch, FindsWithTheMeterWhatAModelCanSpare) {
  SkippingModel model([](const SkippedLayers& skipped, TokenId last) {
    return last * 5 % 8 < n_left_out(skipped) - skipped.attention[1] - skipped.feed_forward[2];
  });
  SkipMeter meter(model, kFlat);
  ASSERT_TRUE(meter.add({1, 2, 3}, numbers(4, 90), {}));
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    SkipSearch search(4, seed);
    for (int i = 0; i < 100; ++i) {
      if (const auto skipped = search.next()) search.learn(meter.measure(*skipped, {})->speedup());
    }
    EXPECT_EQ(to_string(search.best()), "a1+m2") << seed;
  }
}

}  // namespace
}  // namespace redraft
