#include "decoding/acceptance.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace redraft {
namespace {

Predictions greedy(std::vector<TokenId> argmax) {
  Predictions predictions;
  predictions.argmax = std::move(argmax);
  return predictions;
}

TEST(Accept, WithoutADraftTheTargetsTokenFollows) {
  const Acceptance accepted = accept(DraftTree(), greedy({7}));
  EXPECT_TRUE(accepted.path.empty());
  EXPECT_EQ(accepted.tokens, std::vector<TokenId>{7});
}

TEST(Accept, AChainStandsUpToItsFirstMismatch) {
  const DraftTree draft = DraftTree::chain(std::vector<TokenId>{5, 6, 7, 8}, DraftOrigin::kReuse);
  const Acceptance accepted = accept(draft, greedy({5, 6, 9, 8, 1}));
  EXPECT_EQ(accepted.path, (std::vector<int>{0, 1}));
  EXPECT_EQ(accepted.tokens, (std::vector<TokenId>{5, 6, 9}));
}

TEST(Accept, TheLongestPathOfATreeStands) {
  DraftTree draft;
  const int a = draft.add(5, -1, DraftOrigin::kCopy);
  const int b = draft.add(5, -1, DraftOrigin::kReuse);  // the same token twice
  draft.add(9, a, DraftOrigin::kCopy);
  const int c = draft.add(6, b, DraftOrigin::kReuse);
  const Acceptance accepted = accept(draft, greedy({5, 6, 6, 1, 4}));
  EXPECT_EQ(accepted.path, (std::vector<int>{b, c}));
  EXPECT_EQ(accepted.tokens, (std::vector<TokenId>{5, 6, 4}));
}

TEST(Accept, AChildOfARejectedNodeNeverStands) {
  DraftTree draft;
  const int wrong = draft.add(4, -1, DraftOrigin::kOther);
  draft.add(6, wrong, DraftOrigin::kOther);
  EXPECT_EQ(accept(draft, greedy({5, 6, 6})).tokens, std::vector<TokenId>{5});
}

// Accepts one token besides the argmax.
class AcceptsOne : public LossyRule {
 public:
  explicit AcceptsOne(TokenId token) : token_(token) {}
  PredictionNeeds needs() const override { return {}; }
  bool accepts(TokenId token, int, const Predictions&) const override { return token == token_; }

 private:
  TokenId token_;
};

TEST(Accept, TheArgmaxFollowsATokenThatALossyRuleAccepts) {
  const AcceptsOne rule(3);
  const DraftTree draft = DraftTree::chain(std::vector<TokenId>{3}, DraftOrigin::kModel);
  EXPECT_EQ(accept(draft, greedy({5, 8}), &rule).tokens, (std::vector<TokenId>{3, 8}));
  EXPECT_EQ(accept(draft, greedy({5, 8})).tokens, std::vector<TokenId>{5});
}

}  // namespace
}  // namespace redraft
