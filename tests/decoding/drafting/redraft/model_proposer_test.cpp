#include "decoding/drafting/redraft/model_proposer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

constexpr int kVocabulary = 10000;
constexpr double kPlainStep = 0.03;

// Counts upwards; the time of a pass is set by the test, on a clock of its own.
class CountingModel : public ScriptedModel {
 public:
  CountingModel(double step_seconds, double row_seconds)
      : ScriptedModel(
            kVocabulary, 4096,
            [](std::span<const TokenId> sequence) { return (sequence.back() + 1) % kVocabulary; }),
        step_seconds_(step_seconds),
        row_seconds_(row_seconds) {}

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    clock_ += step_seconds_ + row_seconds_ * static_cast<double>(context.size() - 1);
    return ScriptedModel::forward(context, draft, cache, needs);
  }
  double compute_seconds() const override { return clock_; }

 private:
  double step_seconds_;
  double row_seconds_;
  double clock_ = 0;
};

std::vector<TokenId> counted_to(int end) {
  std::vector<TokenId> tokens(static_cast<std::size_t>(end));
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

// The result of a decode of `tokens` tokens in which the model writes what the target would.
struct Outcome {
  int proposals = 0;
  int first_at = -1;  // tokens written before the first proposal
  double seconds = 0;
};

Outcome decode(CountingModel& model, int prompt, int tokens, double other_rate) {
  const PassPace pace(CostCurve({{1, kPlainStep}, {4, 1.1 * kPlainStep}, {64, 12 * kPlainStep}}));
  const auto cache = model.new_cache(4096);
  ModelProposer proposer({&model, cache.get()}, {}, {}, pace);
  Outcome outcome;
  int length = prompt;
  while (length < prompt + tokens) {
    const Proposal proposal = proposer.propose(counted_to(length), 100, other_rate);
    outcome.seconds += proposer.seconds();
    if (!proposal.empty() && outcome.proposals++ == 0) outcome.first_at = length - prompt;
    const int written = static_cast<int>(proposal.size()) + 1;
    const std::vector<TokenId> all = counted_to(length + written);
    for (std::size_t i = 0; i < proposal.size(); ++i) {
      EXPECT_EQ(proposal[i].token, all[static_cast<std::size_t>(length) + i]);
      EXPECT_EQ(proposal[i].match, static_cast<int>(i));
    }
    proposer.learn(proposal, std::span(all).last(static_cast<std::size_t>(written)));
    length += written;
  }
  return outcome;
}

TEST(ModelProposer, ACheapModelIsAskedAgainAndAgain) {
  CountingModel model(0.1 * kPlainStep, 0.0001);
  const Outcome outcome = decode(model, 20, 400, 1 / kPlainStep);
  EXPECT_GT(outcome.proposals, 30);
  EXPECT_LT(outcome.first_at, 10);
}

TEST(ModelProposer, AModelAsSlowAsTheTargetIsAskedAtMostForATry) {
  CountingModel model(kPlainStep, kPlainStep / 5);
  EXPECT_LE(decode(model, 20, 400, 1 / kPlainStep).proposals, 3);
}

TEST(ModelProposer, RestsWhereOtherSourcesDoBetter) {
  CountingModel model(0.2 * kPlainStep, 0.0001);
  EXPECT_EQ(decode(model, 20, 400, 8 / kPlainStep).proposals, 0);
}

// The prompt is read once it would have paid to read it earlier, so at worst twice its price is
// lost.
TEST(ModelProposer, ALongPromptIsReadOnlyWhenThatPays) {
  const auto first_at = [](int prompt) {
    CountingModel model(0.2 * kPlainStep, 0.002);
    return decode(model, prompt, 1500, 1 / kPlainStep).first_at;
  };
  EXPECT_GT(first_at(2000), 2 * first_at(500));
  EXPECT_GT(first_at(500), first_at(50));
  EXPECT_GE(first_at(50), 0);
}

TEST(ModelProposer, ItLearnsHowOftenItIsRight) {
  CountingModel model(0.1 * kPlainStep, 0.0001);
  const PassPace pace(CostCurve({{1, kPlainStep}, {64, 12 * kPlainStep}}));
  const auto cache = model.new_cache(4096);
  ModelProposer proposer({&model, cache.get()}, {}, {}, pace);
  const double before = proposer.right_share();
  const Proposal proposal = {{.token = 1}, {.token = 2}, {.token = 3}};
  for (int i = 0; i < 50; ++i) proposer.learn(proposal, std::vector<TokenId>{9});
  EXPECT_LT(proposer.right_share(), before / 3);
  for (int i = 0; i < 500; ++i) proposer.learn(proposal, std::vector<TokenId>{1, 2, 3, 4});
  EXPECT_GT(proposer.right_share(), 0.9);
  proposer.learn({}, std::vector<TokenId>{4});
  EXPECT_GT(proposer.right_share(), 0.9);
}

}  // namespace
}  // namespace redraft
