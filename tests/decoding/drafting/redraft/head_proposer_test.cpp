#include "decoding/drafting/redraft/head_proposer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "decoding/verifier.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

constexpr int kVocabulary = 10000;
constexpr double kPlainStep = 0.03;
constexpr double kRun = 0.05 * kPlainStep;

TokenId count_on(std::span<const TokenId> sequence) { return (sequence.back() + 1) % kVocabulary; }

// Counts upwards; its head counts too, or is always wrong. A run of the head takes kRun on a clock
// of its own.
class HeadedModel : public ScriptedModel {
 public:
  explicit HeadedModel(bool right) : ScriptedModel(kVocabulary, 4096, count_on) {
    set_right(right);
  }
  void set_right(bool right) {
    set_head(
        3,
        [right](std::span<const TokenId> sequence) {
          return right ? count_on(sequence) : (sequence.back() + 7) % kVocabulary;
        },
        [](std::span<const TokenId>) { return 0.85F; });
  }
  std::vector<HeadPlace> head_draft(int row, TokenId token, int most, KvCache& cache) override {
    const std::vector<HeadPlace> places = ScriptedModel::head_draft(row, token, most, cache);
    clock_ += step > 0 ? step * static_cast<double>(places.size()) : kRun;
    ++runs;
    return places;
  }
  bool head_takes_steps() const override { return step > 0; }
  double compute_seconds() const override { return clock_; }

  int runs = 0;
  double step = 0;  // seconds of each token; 0: all tokens take one run

 private:
  double clock_ = 0;
};

// A decode in which all that is proposed is verified.
class HeadedDecode {
 public:
  HeadedDecode(HeadedModel& model, HeadRecord& record)
      : model_(model),
        cache_(model.new_cache(4096)),
        proposer_({&model, cache_.get()}, pace_, record) {}

  // Passes in which the other sources promise `rate`; returns how often the head ran.
  int run(int passes, double rate) {
    const int before = model_.runs;
    for (int i = 0; i < passes; ++i) pass(rate);
    return model_.runs - before;
  }
  Proposal pass(double rate, int limit = 100) {
    const Proposal proposal = proposer_.propose(context_, limit, rate);
    EXPECT_EQ(proposer_.seconds() > 0, !proposal.empty());
    DraftTree draft;
    for (const ProposedPlace& place : proposal)
      draft.add(place.token, draft.size() - 1, DraftOrigin::kHead);
    Verifier verifier(model_, *cache_);
    const Acceptance accepted = verifier.verify(context_, draft, {});
    proposer_.observe({draft, verifier.predictions(), verifier.rows(), kPlainStep});
    proposer_.learn(proposal, accepted.tokens);
    context_.insert(context_.end(), accepted.tokens.begin(), accepted.tokens.end());
    return proposal;
  }

 private:
  HeadedModel& model_;
  std::unique_ptr<KvCache> cache_;
  PassPace pace_{CostCurve({{1, kPlainStep}, {4, 1.1 * kPlainStep}, {64, 12 * kPlainStep}})};
  HeadProposer proposer_;
  std::vector<TokenId> context_ = {1, 2, 3};
};

TEST(HeadProposer, AHeadThatIsRightRunsInEveryPassButTheFirst) {
  HeadedModel model(true);
  HeadRecord record;
  HeadedDecode decode(model, record);
  EXPECT_EQ(decode.run(1, 1 / kPlainStep), 0) << "no row has been computed";
  EXPECT_EQ(decode.run(100, 1 / kPlainStep), 100);
  for (int place = 0; place < 3; ++place) EXPECT_GT(record.share(place), 0.9);
  EXPECT_NEAR(record.seconds, kRun, 1e-9);
}

TEST(HeadProposer, OneThatIsAlwaysWrongFallsSilentAndIsAskedRarely) {
  HeadedModel model(false);
  HeadRecord record;
  HeadedDecode decode(model, record);
  EXPECT_LT(decode.run(200, 1 / kPlainStep), 27);
  EXPECT_LT(record.share(0), 0.2);
  const int runs = decode.run(640, 1 / kPlainStep);
  EXPECT_GE(runs, 19) << "every 32 passes";
  EXPECT_LE(runs, 20);
  // What is known lasts from request to request.
  HeadedDecode next(model, record);
  EXPECT_LE(next.run(60, 1 / kPlainStep), 3);
  // It is found out when the head is right again.
  model.set_right(true);
  next.run(640, 1 / kPlainStep);
  EXPECT_GT(next.run(100, 1 / kPlainStep), 90);
}

TEST(HeadProposer, RestsWhereOtherSourcesDoBetter) {
  HeadedModel model(true);
  HeadRecord record;
  HeadedDecode decode(model, record);
  EXPECT_LE(decode.run(100, 6 / kPlainStep), 4);
}

TEST(HeadProposer, GivesBothTokensOfAPlaceAndHowSureTheHeadIs) {
  HeadedModel model(true);
  HeadRecord record;
  HeadedDecode decode(model, record);
  decode.pass(1 / kPlainStep);
  const Proposal proposal = decode.pass(1 / kPlainStep);
  ASSERT_EQ(proposal.size(), 3U);
  for (const ProposedPlace& place : proposal) {
    EXPECT_EQ(place.other, place.token + 1);
    EXPECT_EQ(MatchBuckets::of(place.match), 8) << "of eleven classes, that of 85 in 100";
    EXPECT_EQ(MatchBuckets::of(place.other_match), 0);
  }
  EXPECT_EQ(decode.pass(1 / kPlainStep, 2).size(), 2U);
  EXPECT_EQ(decode.pass(1 / kPlainStep, 0).size(), 0U);
}

// In pass 32 without a full proposal the later places are tried, too.
TEST(HeadProposer, AsksForAsManyStepsAsPay) {
  HeadedModel model(true);
  HeadRecord record;
  for (int i = 0; i < 100; ++i) record.learn(1, false);
  HeadedDecode decode(model, record);
  model.step = 0.2 * kPlainStep;
  decode.pass(1 / kPlainStep);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 32; ++i) sizes.push_back(decode.pass(1 / kPlainStep).size());
  EXPECT_EQ(std::ranges::count(sizes, 1U), 31) << "the second token would take a step for nothing";
  EXPECT_EQ(sizes[31], 3U);
  EXPECT_NEAR(record.seconds, model.step, 1e-9) << "the price is that of a step";
  // The shares at first are .6, .5 and .4: a second token would be worth one step, not two.
  HeadRecord fresh;
  fresh.seconds = model.step = 0.4 * kPlainStep;
  HeadedDecode other(model, fresh);
  other.pass(1 / kPlainStep);
  EXPECT_EQ(other.pass(1 / kPlainStep).size(), 1U);
  model.step = 2 * kPlainStep;
  HeadRecord dear;
  EXPECT_LE(HeadedDecode(model, dear).run(100, 1 / kPlainStep), 4)
      << "a step costs more than it saves";
}

TEST(HeadRecord, LearnsEachPlaceForItself) {
  HeadRecord record;
  const double before = record.share(0);
  EXPECT_GT(before, record.share(1));
  EXPECT_GT(record.share(1), record.share(2));
  for (int i = 0; i < 100; ++i) {
    record.learn(0, true);
    record.learn(1, false);
  }
  EXPECT_GT(record.share(0), 0.9);
  EXPECT_LT(record.share(1), 0.1);
}

}  // namespace
}  // namespace redraft
