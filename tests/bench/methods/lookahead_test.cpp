// The rules of Lookahead decoding: what a token of the window sees, how the window moves, which
// n-grams it yields, and what is verified beside it.
#include "bench/methods/lookahead.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;
constexpr int kVocabulary = 10'007;

// Depends on every token of the sequence, so that a row that sees too much or too little shows.
TokenId mixed(std::span<const TokenId> sequence) {
  return static_cast<TokenId>(1 + hash_of(9, sequence) % (kVocabulary - 1));
}

Tokens join(std::initializer_list<Tokens> parts) {
  Tokens all;
  for (const Tokens& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Tokens tokens_of(const DraftTree& tree) { return {tree.tokens().begin(), tree.tokens().end()}; }
Tokens parents_of(const DraftTree& tree) { return {tree.parents().begin(), tree.parents().end()}; }

// W = 3 and N = 4 over a prompt of fives: every pass of the window, by hand.
class Window : public testing::Test {
 protected:
  // The window's nodes in a pass after `context`, after which it has moved on.
  DraftTree pass(const Tokens& context) {
    DraftTree tree;
    window.add_to(tree);
    EXPECT_EQ(tree.size(), window.size());
    const auto cache = model.new_cache(100);
    window.advance(context.back(), model.forward(context, tree, *cache, {}), pool);
    return tree;
  }

  ScriptedModel model{kVocabulary, 1000, mixed};
  LookaheadWindow window{{.width = 3, .n = 4}, Tokens{5, 5}, {}};
  PhrasePool pool{15};
};

TEST_F(Window, IsATreeWithThePapersMaskAndMovesOnePlaceAPass) {
  // The first pass is a chain of W + N - 3 tokens.
  const DraftTree first = pass({7});
  EXPECT_EQ(tokens_of(first), (Tokens{5, 5, 5, 5}));
  EXPECT_EQ(parents_of(first), (Tokens{-1, 0, 1, 2}));
  const Tokens b = {mixed(Tokens{7, 5}), mixed(Tokens{7, 5, 5}), mixed(Tokens{7, 5, 5, 5}),
                    mixed(Tokens{7, 5, 5, 5, 5})};
  // Then level 1 has a column more than level 0, that of the last token, "8".
  const DraftTree second = pass({7, 8});
  EXPECT_EQ(tokens_of(second), join({{5, 5, 5}, b}));
  EXPECT_EQ(parents_of(second), (Tokens{-1, 0, 1, -1, 0, 1, 2}));
  const Tokens c = {mixed(Tokens{7, 8, 5, b[1]}), mixed(Tokens{7, 8, 5, 5, b[2]}),
                    mixed(Tokens{7, 8, 5, 5, 5, b[3]})};
  // The window is full: W - 1, W and W tokens.
  EXPECT_TRUE(window.full());
  EXPECT_TRUE(pool.after(8).empty());
  const DraftTree third = pass({7, 8, 9});
  EXPECT_EQ(tokens_of(third), join({{5, 5}, {b[1], b[2], b[3]}, c}));
  EXPECT_EQ(parents_of(third), (Tokens{-1, 0, -1, 0, 1, 2, 3, 4}));
  const Tokens d = {mixed(Tokens{7, 8, 9, b[1], c[0]}), mixed(Tokens{7, 8, 9, 5, b[2], c[1]}),
                    mixed(Tokens{7, 8, 9, 5, 5, b[3], c[2]})};
  ASSERT_EQ(pool.after(9).size(), 1U);
  EXPECT_EQ(pool.after(9)[0], (Tokens{b[1], c[0], d[0]}));
  ASSERT_EQ(pool.after(5).size(), 2U);
  EXPECT_EQ(pool.after(5)[0], (Tokens{b[2], c[1], d[1]}));
  EXPECT_EQ(pool.after(5)[1], (Tokens{b[3], c[2], d[2]}));
  // The oldest level is gone, and of the next one the column that "10" takes.
  const DraftTree fourth = pass({7, 8, 9, 10});
  EXPECT_EQ(tokens_of(fourth), join({{b[2], b[3]}, c, d}));
  EXPECT_EQ(parents_of(fourth), parents_of(third));
}

TEST_F(Window, HasNoStopTokens) {
  LookaheadWindow other({.width = 3, .n = 3}, Tokens{5, 6, 5}, Tokens{6, 20});
  PhrasePool phrases(15);
  DraftTree tree;
  other.add_to(tree);
  EXPECT_EQ(tokens_of(tree), (Tokens{5, 5, 5}));
  Predictions predictions;
  predictions.argmax = {1, 20, 30, 20};
  other.advance(7, predictions, phrases);
  DraftTree next;
  other.add_to(next);
  EXPECT_EQ(tokens_of(next), (Tokens{5, 5, 5, 30, 5}));
  EXPECT_EQ(LookaheadWindow({}, Tokens{6, 20}, Tokens{6, 20}).size(), 0);
}

TEST(PhrasePool, KeepsTheMostRecentPhrases) {
  PhrasePool pool(2);
  pool.add(1, Tokens{10});
  pool.add(1, Tokens{11});
  pool.add(1, Tokens{10});
  pool.add(1, Tokens{12});
  ASSERT_EQ(pool.after(1).size(), 2U);
  EXPECT_EQ(pool.after(1)[0], Tokens{10});
  EXPECT_EQ(pool.after(1)[1], Tokens{12});
  EXPECT_TRUE(pool.after(2).empty());
}

TEST(PhrasePool, KeepsTheMostRecentTokens) {
  PhrasePool pool(2);
  const int count = static_cast<int>(PhrasePool::kMaxTokens) + 1;
  for (TokenId token = 0; token < count; ++token) pool.add(token, Tokens{1});
  EXPECT_TRUE(pool.after(0).empty());
  EXPECT_EQ(pool.after(1).size(), 1U);
  EXPECT_EQ(pool.after(count - 1).size(), 1U);
}

TEST(PhrasePool, PhrasesShareNodesAmongThemselvesOnly) {
  const std::vector<Tokens> phrases = {{9, 9}, {1, 2, 3}, {1, 4}};
  DraftTree tree = DraftTree::chain(Tokens{1}, DraftOrigin::kOther);
  add_phrases(tree, -1, phrases, 2, DraftOrigin::kRecycled, kNoLimit);
  EXPECT_EQ(tokens_of(tree), (Tokens{1, 1, 4, 2, 3})) << "the newest first, and no more than two";
  EXPECT_EQ(parents_of(tree), (Tokens{-1, -1, 1, 1, 3}));
  DraftTree small;
  add_phrases(small, -1, phrases, 3, DraftOrigin::kRecycled, 3);
  EXPECT_EQ(tokens_of(small), (Tokens{1, 4, 2}));
}

// The sizes of the paper for a model of 7B: (W + G) (N - 1) rows in a full pass.
TEST(Lookahead, ItsDefaultsAreThePapers) {
  const LookaheadOptions options;
  LookaheadSource source(options, Tokens{5, 6, 7}, {});
  Tokens context = {5, 6, 7};
  ScriptedModel model(kVocabulary, 1000, mixed);
  const auto cache = model.new_cache(500);
  std::vector<int> sizes;
  for (int pass = 0; pass < 4; ++pass) {
    const DraftTree tree = source.draft(context, kNoLimit);
    sizes.push_back(tree.size());
    const Predictions predictions = model.forward(context, tree, *cache, {});
    source.observe({tree, predictions, 0, 0});
    cache->truncate(0);
    context.push_back(1000 + pass);
  }
  EXPECT_EQ(sizes, (std::vector<int>{17, 16 + 17, 15 + 16 + 16, 14 + 15 + 15 + 15}));
  EXPECT_EQ(options.guesses, 15);
  const DecoderOptions named = parse_decoder_name("lookahead")->options();
  EXPECT_EQ(named.integer("window"), 15);
  EXPECT_EQ(named.integer("n"), 5);
  EXPECT_EQ(named.integer("guesses"), 15);
  EXPECT_FALSE(named.has("pool-from-text"));
}

// Where the window does not fit only the pool is verified, and the window stays as it is.
TEST(Lookahead, SkipsTheWindowWhereItDoesNotFit) {
  LookaheadSource source({.window = {.width = 3, .n = 3}, .pool_from_text = true},
                         Tokens{5, 6, 7, 5, 6, 7}, {});
  const Tokens context = {5, 6, 7, 5, 6, 7};
  const DraftTree guesses = source.draft(context, 2);
  EXPECT_EQ(tokens_of(guesses), (Tokens{5, 6}));
  source.observe({guesses, Predictions(), 0, 0});
  EXPECT_EQ(tokens_of(source.draft(context, kNoLimit)).size(), 3U + 2U);
}

// Each token follows from the one before alone: 1 2 … 20 1 2 …
TokenId cycle(std::span<const TokenId> sequence) { return sequence.back() % 20 + 1; }

// The tokens that each pass wrote.
std::vector<int> tokens_by_pass(const std::string& name, int count) {
  ScriptedModel model(30, 1000, cycle);
  const auto cache = model.new_cache(1000);
  DecodeRequest request{.prompt = {1}, .max_new_tokens = count};
  const DecodeResult plain = decode("ar", {&model, cache.get()}, {}, request);
  std::vector<int> tokens;
  request.on_emitted = [&](const EmittedToken& token) {
    tokens.resize(static_cast<std::size_t>(token.pass));
    ++tokens.back();
  };
  const DecodeResult result = decode(name, {&model, cache.get()}, {}, request);
  EXPECT_EQ(result.tokens, plain.tokens);
  return tokens;
}

// The window begins with ones only, and its tokens move along the cycle as fast as plain decoding.
// So the pool first knows what follows a token when the output has been there; from the second
// round on it knows all.
TEST(Lookahead, ANGramOfThePoolWritesNTokensAPass) {
  for (const int n : {3, 4, 6}) {
    const std::vector<int> tokens =
        tokens_by_pass("lookahead:window=5:n=" + std::to_string(n), 400);
    std::vector<int> expected(20, 1);
    expected.resize(60, n);
    ASSERT_GT(tokens.size(), expected.size());
    EXPECT_EQ(std::vector<int>(tokens.begin(), tokens.begin() + 60), expected) << n;
  }
}

}  // namespace
}  // namespace redraft
