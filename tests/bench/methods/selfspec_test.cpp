// The rules of self-speculative decoding: when a draft ends, how the threshold follows what is
// accepted, and that the target's cache is as if nothing had been drafted.
#include "bench/methods/selfspec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;

TokenId count_on(std::span<const TokenId> sequence) { return sequence.back() + 1; }

class SelfSpec : public testing::Test {
 protected:
  void SetUp() override {
    model.set_skipping(4, count_on, [this](std::span<const TokenId> sequence) {
      return sequence.back() == unsure_after ? 0.5F : 0.9F;
    });
    model.forward(Tokens{1, 2, 3}, DraftTree(), *cache, {});
  }

  Tokens drafted(const SelfSpecOptions& options, const Tokens& context, int limit = kNoLimit) {
    SelfSpecSource source(options, {&model, cache.get()}, SkippedLayers(4), Tokens{15}, {});
    const DraftTree draft = source.draft(context, limit);
    EXPECT_TRUE(draft.is_chain());
    return {draft.tokens().begin(), draft.tokens().end()};
  }

  ScriptedModel model{100, 200, count_on};
  std::unique_ptr<KvCache> cache = model.new_cache(100);
  TokenId unsure_after = -1;
};

TEST_F(SelfSpec, ADraftEndsWithItsLastTokenOrAnUnlikelyOne) {
  EXPECT_EQ(drafted({.tokens = 3}, {1, 2, 3, 4}), (Tokens{5, 6, 7}));
  unsure_after = 6;
  EXPECT_EQ(drafted({}, {1, 2, 3, 4}), (Tokens{5, 6, 7})) << "the unlikely token is drafted, too";
  EXPECT_EQ(drafted({.threshold = 0.5}, {1, 2, 3, 4}), (Tokens{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(drafted({}, {1, 2, 3, 14}), Tokens{15}) << "nothing follows a stop token";
  EXPECT_EQ(drafted({}, {1, 2, 3, 4}, 1), Tokens{5});
}

TEST_F(SelfSpec, TheTargetsCacheIsAsBefore) {
  drafted({}, {1, 2, 3, 4});
  EXPECT_EQ(cache->length(), 3);
  // The scripted model throws if it finds what a draft wrote.
  EXPECT_EQ(model.forward(Tokens{4}, DraftTree(), *cache, {}).argmax[0], 5);
  cache = model.new_cache(5);
  model.forward(Tokens{1, 2, 3}, DraftTree(), *cache, {});
  EXPECT_EQ(drafted({}, {1, 2, 3, 4}), (Tokens{5, 6})) << "as many steps as the cache has room for";
}

TEST_F(SelfSpec, TheFirstTokenIsTheTargets) { EXPECT_EQ(drafted({}, {1, 2, 3, 4, 5}), Tokens()); }

TEST(DraftExit, FollowsTheShareThatIsAccepted) {
  DraftExit exit({});
  exit.learn(4, 4);  // the share rises from 0 to 0.5, which is less than 0.9
  EXPECT_DOUBLE_EQ(exit.threshold(), 0.801);
  exit.learn(4, 4);  // 0.75
  exit.learn(4, 4);  // 0.875
  EXPECT_NEAR(exit.threshold(), 0.803, 1e-12);
  exit.learn(4, 4);  // 0.9375
  EXPECT_NEAR(exit.threshold(), 0.802, 1e-12);
  exit.learn(8, 8);  // a whole draft: it could not have been longer
  EXPECT_NEAR(exit.threshold(), 0.802, 1e-12);
  exit.learn(4, 1);
  EXPECT_NEAR(exit.threshold(), 0.803, 1e-12);
  DraftExit fixed({.adapts = false});
  fixed.learn(4, 0);
  EXPECT_DOUBLE_EQ(fixed.threshold(), 0.8);
}

// The threshold moves with what observe() is told.
TEST_F(SelfSpec, LearnsFromEachPass) {
  unsure_after = 5;
  const SelfSpecOptions options{.threshold = 0.499, .epsilon = 0.1, .beta1 = 0, .beta2 = 0};
  SelfSpecSource source(options, {&model, cache.get()}, SkippedLayers(4), {}, {});
  const Tokens context = {1, 2, 3, 4};
  const DraftTree first = source.draft(context, kNoLimit);
  ASSERT_EQ(first.size(), 8);
  Predictions predictions;
  predictions.argmax = {5, 6, 70, 0, 0, 0, 0, 0, 0};
  source.observe({first, predictions, 9, 0});
  const DraftTree second = source.draft(context, kNoLimit);
  ASSERT_EQ(second.size(), 2) << "0.599 is more than 0.5";
  predictions.argmax = {5, 6, 7};
  source.observe({second, predictions, 3, 0});
  EXPECT_EQ(source.draft(context, kNoLimit).size(), 8);
}

TEST(SelfSpecDecoder, ItsDefaultsAreThoseOfTheAuthorsProgram) {
  const SelfSpecOptions options;
  const DecoderOptions named = parse_decoder_name("selfspec")->options();
  EXPECT_EQ(options.tokens, 8);
  EXPECT_EQ(named.integer("tokens"), 8);
  const auto expect = [&](const char* name, double value, double wanted) {
    EXPECT_EQ(value, wanted) << name;
    EXPECT_EQ(named.real(name), wanted) << name;
  };
  expect("threshold", options.threshold, 0.8);
  expect("alpha", options.alpha, 0.9);
  expect("epsilon", options.epsilon, 0.01);
  expect("beta1", options.beta1, 0.5);
  expect("beta2", options.beta2, 0.9);
  EXPECT_TRUE(options.adapts);
  EXPECT_FALSE(named.has("fixed"));
}

TEST(SelfSpecDecoder, NeedsAModelWithLayersAndASetThatFits) {
  ScriptedModel model(100, 200, count_on);
  const auto cache = model.new_cache(50);
  const auto problem = [&](const char* name, const std::string& stored) {
    DecoderMemory memory;
    memory.set_skipped_layers(stored);
    const auto decoder =
        Decoder::make(*parse_decoder_name(name), {&model, cache.get()}, {}, {}, &memory);
    return decoder ? std::string() : decoder.error().message();
  };
  EXPECT_THAT(problem("selfspec:skip=a1", ""), testing::HasSubstr("--device cpu"));
  model.set_skipping(4, count_on, [](std::span<const TokenId>) { return 1.0F; });
  EXPECT_THAT(problem("selfspec", ""), testing::HasSubstr("skip=a3-5+m6"));
  EXPECT_THAT(problem("selfspec", ""), testing::HasSubstr("redraft bench skips"));
  EXPECT_THAT(problem("selfspec:skip=a4", ""), testing::HasSubstr("0 to 3"));
  EXPECT_THAT(problem("selfspec", "a9"), testing::HasSubstr("0 to 3"));
  EXPECT_EQ(problem("selfspec", "a1+m2"), "");
  EXPECT_EQ(problem("selfspec:skip=m3", "a9"), "");
  EXPECT_FALSE(parse_decoder_name("selfspec:skip=x"));
  EXPECT_FALSE(parse_decoder_name("selfspec:skip"));
  EXPECT_FALSE(parse_decoder_name("selfspec:skip="));
}

// Of 1 + 45 tokens the first is written plainly, then nine a pass.
TEST(SelfSpecDecoder, WritesItsDraftAndOneMoreAPass) {
  ScriptedModel model(100, 200, count_on);
  model.set_skipping(4, count_on, [](std::span<const TokenId>) { return 1.0F; });
  const auto cache = model.new_cache(100);
  const DecodeRequest request{.prompt = {1, 2}, .max_new_tokens = 46};
  const DecodeResult result = decode("selfspec:skip=a1", {&model, cache.get()}, {}, request);
  EXPECT_EQ(result.statistics.passes, 6);
  EXPECT_EQ(result.tokens.back(), 48);
}

}  // namespace
}  // namespace redraft
