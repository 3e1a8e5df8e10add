// What the default decoder tells a draft head and a draft model, and that it hears them out.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "decoding/drafting/redraft/redraft_source.h"

namespace redraft {
namespace {

constexpr TokenId kFirst = 100;
constexpr GuessKind kNextNumber("next number", DraftOrigin::kOther, WhenFirst::same(.7),
                                WhenLater::same(.7));

class CountingSource final : public StatelessSource {
 public:
  explicit CountingSource(const SourceInputs& inputs) : next_(inputs.kinds.add(kNextNumber)) {}
  void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    out.push_back({branch.tokens.back() + 1, next_, 1});
  }

 private:
  GuessKindId next_;
};

struct Told {
  std::vector<TokenId> proposed;
  std::vector<TokenId> written;
};

// Proposes two tokens each time, which takes `seconds`.
class TwoTokens final : public Proposer {
 public:
  TwoTokens(double seconds, std::vector<Told>& told) : told_(told) { seconds_ = seconds; }
  Proposal propose(std::span<const TokenId> context, int, double) override {
    const TokenId next = context.back() + 1;
    return {{.token = next}, {.token = next + 1}};
  }
  void learn(const Proposal& proposal, std::span<const TokenId> written) override {
    Told& told = told_.emplace_back();
    for (const ProposedPlace& place : proposal) told.proposed.push_back(place.token);
    told.written.assign(written.begin(), written.end());
  }

 private:
  std::vector<Told>& told_;
};

using Which = std::unique_ptr<Proposer> Proposers::*;

// The sizes of two drafts, where the first is right and the target adds the next number. Running
// the proposer takes `seconds` each time.
std::pair<int, int> draft_twice(Which which, double seconds, std::vector<Told>& told) {
  // A first row that is verified may cost a tenth of a plain step.
  RedraftMemory memory(CostCurve({{1, 1.0}, {2, 1.05}, {3, 1.08}, {64, 20.0}}));
  const SourceMaker make = [](const SourceInputs& inputs) -> std::unique_ptr<GuessSource> {
    return std::make_unique<CountingSource>(inputs);
  };
  DecodeRequest request;
  request.prompt = {kFirst};
  Proposers proposers;
  proposers.*which = std::make_unique<TwoTokens>(seconds, told);
  RedraftSource source(request, {}, memory, nullptr, std::move(proposers), {&make, 1});
  std::vector<TokenId> context = {kFirst};
  const int first = source.draft(context, 8).size();
  for (int written = 0; written <= first; ++written) context.push_back(context.back() + 1);
  return {first, source.draft(context, 8).size()};
}

TEST(RedraftProposers, AreToldWhatBecameOfTheirTokens) {
  for (const Which which : {&Proposers::head, &Proposers::model}) {
    std::vector<Told> told;
    const int first = draft_twice(which, 0, told).first;
    ASSERT_GT(first, 0);
    ASSERT_EQ(told.size(), 2U) << "once before each draft";
    EXPECT_TRUE(told[0].proposed.empty());
    EXPECT_EQ(told[1].proposed, (std::vector<TokenId>{kFirst + 1, kFirst + 2}));
    ASSERT_EQ(told[1].written.size(), static_cast<std::size_t>(first + 1));
    EXPECT_EQ(told[1].written.front(), kFirst + 1);
  }
}

TEST(RedraftProposers, LeaveTheOthersWhatTheyMayRisk) {
  for (const Which which : {&Proposers::head, &Proposers::model}) {
    std::vector<Told> told;
    const auto [first, second] = draft_twice(which, 50, told);
    EXPECT_GT(first, 0);
    EXPECT_GT(second, 0);
  }
}

}  // namespace
}  // namespace redraft
