// What a node of a draft is worth, and that passes correct what it costs.
#include "decoding/drafting/redraft/draft_growth.h"

#include <gtest/gtest.h>

#include "decoding/drafting/redraft/redraft_source.h"

namespace redraft {
namespace {

constexpr TokenId kEnd = 1;
constexpr TokenId kLikely = 10;
constexpr TokenId kOther = 20;
constexpr GuessKind kMore("more", DraftOrigin::kCopy, WhenFirst::same(.6), WhenLater::same(.5));
constexpr GuessKind kLess("less", DraftOrigin::kReuse, WhenFirst::same(.4), WhenLater::same(.25));

// Two guesses for what follows the end, none for what follows these.
class TwoGuesses final : public StatelessSource {
 public:
  explicit TwoGuesses(const SourceInputs& inputs)
      : more_(inputs.kinds.add(kMore)), less_(inputs.kinds.add(kLess)) {}
  void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    if (branch.tokens.back() != kEnd) return;
    out.push_back({kOther, less_, 1});
    out.push_back({kLikely, more_, 1});
    out.push_back({kLikely, less_, 1});  // the same from another source adds nothing
  }

 private:
  GuessKindId more_, less_;
};

DraftGrowth grown(DraftShape shape) {
  const SourceMaker make = [](const SourceInputs& inputs) -> std::unique_ptr<GuessSource> {
    return std::make_unique<TwoGuesses>(inputs);
  };
  const DecodeRequest request;
  SourceMemory memory;
  const SourceSet sources({&make, 1}, request, memory);
  const SurvivalTable survival(sources.kinds());
  DraftGrowth growth(shape);
  growth.begin({.tokens = {kEnd}, .length = 1, .written = 0, .states = sources.at_end()});
  growth.grow(sources, survival, PassPace(CostCurve()), 64);
  return growth;
}

TEST(DraftGrowth, AChainHasTheLikeliestGuessAlone) {
  const DraftGrowth growth = grown(DraftShape::kChain);
  ASSERT_EQ(growth.order().size(), 1U);
  EXPECT_EQ(growth.node(growth.order()[0]).token, kLikely);
}

TEST(DraftGrowth, ALaterGuessHasItsShareOfWhatTheLikeliestLeaves) {
  const DraftGrowth growth = grown(DraftShape::kTree);
  ASSERT_EQ(growth.order().size(), 2U);
  const DraftGrowth::Node& likely = growth.node(growth.order()[0]);
  const DraftGrowth::Node& other = growth.node(growth.order()[1]);
  EXPECT_EQ(likely.token, kLikely);
  EXPECT_TRUE(likely.first);
  EXPECT_DOUBLE_EQ(likely.probability, .6);
  EXPECT_EQ(other.token, kOther);
  EXPECT_FALSE(other.first);
  EXPECT_DOUBLE_EQ(other.probability, .4 * .25);
}

TEST(Redraft, MeasuredPassesCorrectTheirPrice) {
  const CostCurve curve({{1, .030}, {4, .032}, {64, .360}}, true);
  RedraftMemory memory(curve);
  DecodeRequest request;
  request.prompt = {kEnd};
  RedraftSource source(request, {}, memory, nullptr);
  const DraftTree draft;
  Predictions predictions;
  predictions.argmax = {kOther};
  for (int pass = 0; pass < 60; ++pass)
    source.observe({draft, predictions, 4, 2 * curve.seconds(4)});
  EXPECT_NEAR(memory.pace.seconds(4, 0), 2 * curve.seconds(4), .1 * curve.seconds(4));
}

}  // namespace
}  // namespace redraft
