// The rules of Ouroboros: how the draft model drafts, which phrases extend its draft, and which
// phrases a rejected draft leaves behind.
#include "bench/methods/ouroboros.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;
constexpr TokenId kStop = 0;

Tokens tokens_of(const DraftTree& tree) { return {tree.tokens().begin(), tree.tokens().end()}; }
Tokens parents_of(const DraftTree& tree) { return {tree.parents().begin(), tree.parents().end()}; }

// Counts its passes.
class CountingModel : public ScriptedModel {
 public:
  using ScriptedModel::ScriptedModel;
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    ++passes;
    rows = static_cast<int>(context.size()) + draft.size();
    return ScriptedModel::forward(context, draft, cache, needs);
  }
  int passes = 0;
  int rows = 0;  // of the last one
};

// The draft model counts on: 1 2 3 …
TokenId count_on(std::span<const TokenId> sequence) { return sequence.back() + 1; }

class Ouroboros : public testing::Test {
 protected:
  // Without a window unless a test asks for one.
  OuroborosOptions options{.window = {.width = 0, .n = 4}, .gamma = 4, .guesses = 5, .suffixes = 2};
  CountingModel model{200, 1000, count_on};
  std::unique_ptr<KvCache> cache = model.new_cache(500);
  PhrasePool pool{5};

  OuroborosSource source(std::span<const TokenId> stop_tokens = {}) {
    return {options, {&model, cache.get()}, Tokens{1}, stop_tokens, {}, pool};
  }
};

TEST_F(Ouroboros, APhraseSavesPassesOfTheDraftModel) {
  EXPECT_EQ(tokens_of(source().draft(Tokens{1}, kNoLimit)), (Tokens{2, 3, 4, 5}));
  EXPECT_EQ(model.passes, 4);
  pool.add(11, Tokens{12, 13, 14});
  pool.add(11, Tokens{12, 99, 14});
  model.passes = 0;
  EXPECT_EQ(tokens_of(source().draft(Tokens{1, 11}, kNoLimit)), (Tokens{12, 13, 14, 15}));
  EXPECT_EQ(model.passes, 1) << "a phrase and the token after it";
  options.gamma = 2;
  EXPECT_EQ(tokens_of(source().draft(Tokens{1, 11}, kNoLimit)), (Tokens{12, 13}));
}

TEST_F(Ouroboros, TheDraftModelsWindowMakesPhrases) {
  options.window = {.width = 5, .n = 4};
  OuroborosSource with_window = source();
  Tokens context = {1};
  with_window.draft(context, kNoLimit);
  EXPECT_EQ(model.rows, 1 + 4 + 5 + 5) << "the fourth pass, the second with a full window";
  ASSERT_EQ(pool.after(1).size(), 1U) << "what the columns of ones became";
  EXPECT_EQ(pool.after(1)[0], (Tokens{2, 3, 4}));
  EXPECT_EQ(pool.after(2)[0], (Tokens{3, 4, 5}));
}

TEST_F(Ouroboros, TheNewestPhrasesExtendTheDraft) {
  for (const Tokens& phrase : {Tokens{60, 61, 62}, Tokens{70, 71, 72}, Tokens{70, 80, 81}})
    pool.add(5, phrase);
  const DraftTree tree = source().draft(Tokens{1}, kNoLimit);
  EXPECT_EQ(tokens_of(tree), (Tokens{2, 3, 4, 5, 70, 80, 81, 71, 72}));
  EXPECT_EQ(parents_of(tree), (Tokens{-1, 0, 1, 2, 3, 4, 5, 4, 7}));
  EXPECT_EQ(tree.origins()[3], DraftOrigin::kModel);
  EXPECT_EQ(tree.origins()[4], DraftOrigin::kRecycled);
  EXPECT_EQ(source().draft(Tokens{1}, 6).size(), 6);
  options.suffixes = 0;
  EXPECT_EQ(source().draft(Tokens{1}, kNoLimit).size(), 4);
}

TEST_F(Ouroboros, NothingFollowsAStopToken) {
  pool.add(4, Tokens{60, 61, 62});
  EXPECT_EQ(tokens_of(source(Tokens{4}).draft(Tokens{1}, kNoLimit)), (Tokens{2, 3, 4}));
}

TEST_F(Ouroboros, TheDraftEndsWithTheDraftModelsCache) {
  cache = model.new_cache(3);
  EXPECT_EQ(tokens_of(source().draft(Tokens{1}, kNoLimit)), (Tokens{2, 3, 4}));
  EXPECT_TRUE(source().draft(Tokens{1, 2, 3, 4}, kNoLimit).empty());
}

// The example at the head of ouroboros.cpp: a b c d are 2 3 4 5, capitals are a hundred more.
TEST_F(Ouroboros, ARejectedDraftLeavesPhrases) {
  pool.add(5, Tokens{60, 61});
  OuroborosSource ouroboros = source();
  const DraftTree tree = ouroboros.draft(Tokens{1}, kNoLimit);
  ASSERT_EQ(tokens_of(tree), (Tokens{2, 3, 4, 5, 60, 61}));
  Predictions predictions;
  predictions.argmax = {2, 103, 104, 105, 160, 161, 162};
  ouroboros.observe({tree, predictions, 0, 0});
  ASSERT_EQ(pool.after(103).size(), 1U);
  EXPECT_EQ(pool.after(103)[0], (Tokens{104, 105, 160}));
  EXPECT_EQ(pool.after(104)[0], (Tokens{105, 160, 161}));
  EXPECT_EQ(pool.after(105)[0], (Tokens{160, 161, 162}));
  EXPECT_TRUE(pool.after(160).empty()) << "too little follows";
  EXPECT_TRUE(pool.after(2).empty()) << "before the rejection";
  ouroboros.observe({DraftTree(), predictions, 0, 0});
}

TEST_F(Ouroboros, EachOfSeveralPhrasesEndsTheLineOnce) {
  pool.add(5, Tokens{60, 61});
  pool.add(5, Tokens{60, 62});
  OuroborosSource ouroboros = source();
  const DraftTree tree = ouroboros.draft(Tokens{1}, kNoLimit);
  ASSERT_EQ(tokens_of(tree), (Tokens{2, 3, 4, 5, 60, 62, 61}));
  Predictions predictions;
  predictions.argmax = {2, 3, 4, 105, 160, 161, 162, 163};
  ouroboros.observe({tree, predictions, 0, 0});
  ASSERT_EQ(pool.after(105).size(), 2U);
  EXPECT_EQ(pool.after(105)[0], (Tokens{160, 161, 162}));
  EXPECT_EQ(pool.after(105)[1], (Tokens{160, 161, 163}));
}

TEST_F(Ouroboros, AnAcceptedDraftLeavesNone) {
  pool.add(5, Tokens{60, 61, 62});
  OuroborosSource ouroboros = source();
  const DraftTree tree = ouroboros.draft(Tokens{1}, kNoLimit);
  Predictions predictions;
  predictions.argmax = {2, 3, 4, 5, 106, 160, 161, 162};
  ouroboros.observe({tree, predictions, 0, 0});
  for (const TokenId token : {2, 3, 4, 106}) EXPECT_TRUE(pool.after(token).empty()) << token;
}

TEST(OuroborosDecoder, ItsDefaultsAreThoseOfTheAuthorsProgram) {
  const OuroborosOptions options;
  EXPECT_EQ(options.window.width, 20);
  EXPECT_EQ(options.window.n, 7);
  EXPECT_EQ(options.gamma, 12);
  EXPECT_EQ(options.guesses, 20);
  EXPECT_EQ(options.suffixes, 3);
  const DecoderOptions named = parse_decoder_name("ouroboros")->options();
  EXPECT_EQ(named.integer("window"), 20);
  EXPECT_EQ(named.integer("n"), 7);
  EXPECT_EQ(named.integer("gamma"), 12);
  EXPECT_EQ(named.integer("guesses"), 20);
  EXPECT_EQ(named.integer("suffixes"), 3);
}

// The target writes 2 3 4 … 37 by position, so what it predicts after a wrong token is right. So
// does the draft model, but for the tokens that are `wrong`.
int passes_of(const std::string& name, DecoderMemory& memory, const Tokens& wrong) {
  const auto by_position = [](std::span<const TokenId> sequence) {
    return sequence.size() < 37 ? static_cast<TokenId>(sequence.size() + 1) : kStop;
  };
  const auto nearly = [&](std::span<const TokenId> sequence) {
    const TokenId right = by_position(sequence);
    return std::ranges::find(wrong, right) == wrong.end() ? right : 50;
  };
  ScriptedModel target(100, 1000, by_position);
  ScriptedModel drafter(100, 1000, nearly);
  const auto target_cache = target.new_cache(500);
  const auto draft_cache = drafter.new_cache(500);
  const DecodeRequest request{.prompt = {1}, .stop_tokens = {kStop}};
  const DecodeResult result =
      decode(name, {&target, target_cache.get()}, {&drafter, draft_cache.get()}, request, {},
             nullptr, {}, &memory);
  EXPECT_EQ(result.tokens.size(), 36U);
  return result.statistics.passes;
}

// Four tokens and the target's own a pass make 8 passes. In the first request the second draft,
// after "4", is rejected at once, and "5" gets the phrase "6 7". The second request's first draft
// ends with 5 and is extended by that.
TEST(OuroborosDecoder, PhrasesLastFromRequestToRequest) {
  const std::string name = "ouroboros:window=0:n=3:gamma=4";
  DecoderMemory memory;
  EXPECT_EQ(passes_of(name, memory, {}), 8);
  passes_of(name, memory, {4, 5});
  EXPECT_EQ(passes_of(name, memory, {}), 7);
  const std::string fresh = name + ":fresh-pool";
  passes_of(fresh, memory, {4, 5});
  EXPECT_EQ(passes_of(fresh, memory, {}), 8);
}

}  // namespace
}  // namespace redraft
