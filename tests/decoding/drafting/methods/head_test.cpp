// Which row a draft head reads, and what is drafted from it.
#include "decoding/drafting/methods/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/verifier.h"
#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;

TokenId count_on(std::span<const TokenId> sequence) { return sequence.back() + 1; }
float sure(std::span<const TokenId>) { return 0.9F; }

TEST(PredictingRow, FollowsTheWrittenTokensThroughTheDraft) {
  DraftTree draft;
  const int a = draft.add(10, -1, DraftOrigin::kOther);
  const int b = draft.add(20, -1, DraftOrigin::kOther);
  draft.add(11, a, DraftOrigin::kOther);
  const int d = draft.add(11, b, DraftOrigin::kOther);
  draft.add(12, d, DraftOrigin::kOther);
  EXPECT_EQ(predicting_row(draft, Tokens{5}), 0) << "the target's own token alone";
  EXPECT_EQ(predicting_row(draft, Tokens{10, 5}), 1);
  EXPECT_EQ(predicting_row(draft, Tokens{20, 5}), 2);
  EXPECT_EQ(predicting_row(draft, Tokens{10, 11, 5}), 3);
  EXPECT_EQ(predicting_row(draft, Tokens{20, 11, 5}), 4);
  EXPECT_EQ(predicting_row(draft, Tokens{20, 11, 12, 5}), 5);
  EXPECT_EQ(predicting_row(draft, Tokens{10, 12, 5}), -1) << "12 follows the other branch";
  EXPECT_EQ(predicting_row(draft, Tokens{11, 5}), -1);
  EXPECT_EQ(predicting_row(draft, Tokens{20, 11, 12, 13, 5}), -1);
  EXPECT_EQ(predicting_row(draft, Tokens{}), -1);
  EXPECT_EQ(predicting_row(DraftTree(), Tokens{5}), 0);
  EXPECT_EQ(predicting_row(DraftTree(), Tokens{5, 6}), -1);
}

// Two branches begin alike.
TEST(PredictingRow, FindsAPathThatOnlyTheSecondOfTwoEqualNodesHas) {
  DraftTree draft;
  draft.add(10, -1, DraftOrigin::kOther);
  const int second = draft.add(10, -1, DraftOrigin::kOther);
  draft.add(11, second, DraftOrigin::kOther);
  EXPECT_EQ(predicting_row(draft, Tokens{10, 5}), 1);
  EXPECT_EQ(predicting_row(draft, Tokens{10, 11, 5}), 3);
}

TEST(HeadSource, DraftsAChainAfterTheFirstPass) {
  ScriptedModel model(100, 200, count_on);
  model.set_head(4, count_on, sure);
  const std::unique_ptr<KvCache> cache = model.new_cache(100);
  Verifier verifier(model, *cache);
  HeadSource source({&model, cache.get()}, 3);
  Tokens context = {1, 2, 3};
  EXPECT_TRUE(source.draft(context, kNoLimit).empty()) << "no pass has been made";
  for (const int limit : {kNoLimit, 2, 0, kNoLimit}) {
    const DraftTree before;
    const Acceptance accepted = verifier.verify(context, before, {});
    source.observe({before, verifier.predictions(), verifier.rows(), 0});
    context.insert(context.end(), accepted.tokens.begin(), accepted.tokens.end());
    const DraftTree draft = source.draft(context, limit);
    EXPECT_TRUE(draft.is_chain());
    EXPECT_EQ(draft.size(), std::min(3, limit));
    for (int i = 0; i < draft.size(); ++i) {
      EXPECT_EQ(draft.tokens()[i], context.back() + 1 + i);
      EXPECT_EQ(draft.origins()[i], DraftOrigin::kHead);
    }
  }
}

// The scripted model throws if it is asked about another row than that of the newest token.
TEST(HeadDecoder, EveryAcceptedTokenIsTheHeads) {
  ScriptedModel model(100, 200, count_on);
  model.set_head(4, count_on, sure);
  const std::unique_ptr<KvCache> cache = model.new_cache(100);
  const DecodeResult result =
      decode("head:tokens=4", {&model, cache.get()}, {}, {.prompt = {1}, .max_new_tokens = 41});
  EXPECT_EQ(result.tokens.size(), 41U);
  EXPECT_EQ(result.statistics.passes, 9) << "one token, and then five a pass";
  EXPECT_EQ(result.statistics.accepted_by_origin[static_cast<std::size_t>(DraftOrigin::kHead)], 32);
}

TEST(HeadDecoder, NeedsAHead) {
  ScriptedModel model(100, 200, count_on);
  const std::unique_ptr<KvCache> cache = model.new_cache(100);
  const auto decoder = Decoder::make(*parse_decoder_name("head"), {&model, cache.get()}, {}, {});
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().message(),
            "decoder 'head': the target has no draft head: give one with --head, on the CPU");
}

}  // namespace
}  // namespace redraft
