// Whatever is guessed, strict output equals plain greedy decoding; and the statistics add up.
#include <gtest/gtest.h>

#include "bench/methods/lossy_rules.h"
#include "decoding/decoder.h"
#include "decoding/verifier.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/scripted_model.h"
#include "tests/kit/strict_decoders.h"

namespace redraft {
namespace {

TEST(Decoder, PlainDecodingIsTheModelItself) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    LosslessCase c(seed);
    std::vector<TokenId> sequence = c.request.prompt;
    for (const TokenId token : c.plain.tokens) {
      ASSERT_EQ(token, c.target->next(sequence));
      sequence.push_back(token);
    }
    EXPECT_EQ(
        c.plain.statistics.passes,
        c.plain.statistics.new_tokens + (c.plain.finish_reason == FinishReason::kStop ? 1 : 0));
    EXPECT_EQ(c.plain.statistics.rows, c.plain.statistics.passes);
    if (c.plain.finish_reason == FinishReason::kStop) {
      EXPECT_EQ(c.target->next(sequence), LosslessCase::kStop);
    }
    expect_sums(c.plain);
  }
}

TEST(Decoder, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    LosslessCase c(seed);
    for (const char* name : kStrictDecoders) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      ASSERT_EQ(c.difference(name), "");
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Decoder, ACancelledDecodeIsAPrefixAndCanBeResumed) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    LosslessCase c(seed);
    for (const char* name : kStrictDecoders) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      std::stop_source stop;
      int left = between(c.random, 1, 30);
      const auto sink = [&](TokenId) {
        if (--left == 0) stop.request_stop();
        return true;
      };
      const DecodeResult first = c.run(name, c.request, sink, stop.get_token());
      if (first.finish_reason != FinishReason::kCancelled) {
        ASSERT_EQ(first.tokens, c.plain.tokens);
        continue;
      }
      DecodeRequest rest = c.request;
      rest.prompt.insert(rest.prompt.end(), first.tokens.begin(), first.tokens.end());
      rest.max_new_tokens -= static_cast<int>(first.tokens.size());
      std::vector<TokenId> whole = first.tokens;
      if (static_cast<int>(rest.prompt.size()) < c.target_cache->capacity()) {
        const DecodeResult second = c.run(name, rest);
        EXPECT_EQ(second.statistics.cached_prompt_tokens, second.statistics.prompt_tokens - 1);
        whole.insert(whole.end(), second.tokens.begin(), second.tokens.end());
        ASSERT_EQ(whole, c.plain.tokens);
      } else {
        ASSERT_TRUE(std::equal(whole.begin(), whole.end(), c.plain.tokens.begin()));
      }
    }
  }
}

TEST(Decoder, ASinkThatHasEnoughEndsTheDecodeAfterItsToken) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    LosslessCase c(seed);
    const std::size_t enough = between(c.random, 1, 20);
    for (const char* name : kStrictDecoders) {
      std::size_t seen = 0;
      const DecodeResult result = c.run(name, c.request, [&](TokenId) { return ++seen < enough; });
      if (c.plain.tokens.size() < enough) continue;
      EXPECT_EQ(result.tokens.size(), enough) << name << ", seed " << seed;
      EXPECT_EQ(result.finish_reason, FinishReason::kSink);
      expect_sums(result);
    }
  }
}

TEST(Decoder, AStopBeforeTheFirstPassRunsNothing) {
  LosslessCase c(1);
  std::stop_source stop;
  stop.request_stop();
  c.target_cache->truncate(0);
  const DecodeResult result = c.run("redraft", c.request, nullptr, stop.get_token());
  EXPECT_EQ(result.finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(c.target_cache->length(), 0);
  EXPECT_EQ(result.statistics.passes, 0);
}

TEST(Decoder, APromptWithoutRoomIsAnError) {
  ScriptedModel model = ScriptedModel::random(1, {});
  const auto cache = model.new_cache(8);
  auto decoder = Decoder::make({}, {&model, cache.get()}, {}, {});
  ASSERT_TRUE(decoder);
  for (const std::size_t size : {0, 8, 9, 100}) {
    DecodeRequest request;
    request.prompt.assign(size, 1);
    EXPECT_FALSE((*decoder)->run(request, nullptr, {})) << size;
  }
  DecodeRequest request;
  request.prompt.assign(7, 1);
  EXPECT_TRUE((*decoder)->run(request, nullptr, {}));
}

TEST(Decoder, ReportsAMissingDraftModel) {
  ScriptedModel model = ScriptedModel::random(1, {});
  const auto cache = model.new_cache(8);
  const auto name = parse_decoder_name("efficientedit");
  const auto decoder = Decoder::make(*name, {&model, cache.get()}, {}, {});
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().message().find("--draft"), std::string::npos);
}

// Random nodes: mostly what the model would write on that path, so that long and short paths are
// accepted.
DraftTree random_tree(Random& random, const ScriptedModel& model, std::span<const TokenId> context,
                      int most) {
  DraftTree tree;
  const int count = between(random, 0, most);
  for (int node = 0; node < count; ++node) {
    const int parent = between(random, std::max(-1, node - 4), node - 1);
    std::vector<TokenId> path;
    for (int at = parent; at >= 0; at = tree.parents()[at])
      path.insert(path.begin(), tree.tokens()[at]);
    path.insert(path.begin(), context.begin(), context.end());
    const bool right = between(random, 0, 9) < 7;
    tree.add(right ? model.next(path) : between(random, 0, model.vocabulary_size() - 1), parent,
             static_cast<DraftOrigin>(between(random, 0, kDraftOriginCount - 1)));
  }
  return tree;
}

// Output of a loop with random trees, `count` tokens or a few more.
std::vector<TokenId> decode_with_random_trees(std::uint32_t seed, const LossyRule* lossy,
                                              int count) {
  Random random(seed);
  ScriptedModel model = ScriptedModel::random(seed, {});
  const auto cache = model.new_cache(512);
  Verifier verifier(model, *cache);
  std::vector<TokenId> context = {1, 2, 3};
  std::vector<TokenId> output;
  while (static_cast<int>(output.size()) < count) {
    const Acceptance accepted =
        verifier.verify(context, random_tree(random, model, context, 24), lossy);
    context.insert(context.end(), accepted.tokens.begin(), accepted.tokens.end());
    output.insert(output.end(), accepted.tokens.begin(), accepted.tokens.end());
  }
  output.resize(count);
  return output;
}

std::vector<TokenId> decode_plainly(std::uint32_t seed, int count) {
  const ScriptedModel model = ScriptedModel::random(seed, {});
  std::vector<TokenId> sequence = {1, 2, 3};
  for (int i = 0; i < count; ++i) sequence.push_back(model.next(sequence));
  return {sequence.begin() + 3, sequence.end()};
}

TEST(Verifier, RandomTreesLeaveTheOutputUnchanged) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    ASSERT_EQ(decode_with_random_trees(seed, nullptr, 120), decode_plainly(seed, 120))
        << "seed " << seed;
  }
}

// Without this test, an acceptance rule that accepts everything could pass the one above unnoticed.
TEST(Verifier, AcceptingUncheckedDraftsIsNoticed) {
  const std::unique_ptr<const LossyRule> unchecked = direct_rule();
  int differ = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    if (decode_with_random_trees(seed, unchecked.get(), 120) != decode_plainly(seed, 120)) ++differ;
  }
  EXPECT_GE(differ, 45);
}

TEST(Decoder, LossyRulesDifferFromPlainDecoding) {
  for (const char* name :
       {"efficientedit:direct", "efficientedit:top-k", "efficientedit:entropy"}) {
    int differ = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      LosslessCase c(seed);
      const DecodeResult result = c.run(name, c.request);
      expect_sums(result);
      if (result.tokens != c.plain.tokens) ++differ;
    }
    EXPECT_GT(differ, 20) << name;
  }
}

}  // namespace
}  // namespace redraft
