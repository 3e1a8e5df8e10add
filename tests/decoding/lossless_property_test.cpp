// Whatever is guessed, strict output equals plain greedy decoding; and the sums of the statistics
// come out.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "decoding/decoder.h"
#include "decoding/verifier.h"
#include "indexing/memory_datastore.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

constexpr TokenId kStop = 0;
constexpr const char* kStrictDecoders[] = {
    "redraft",
    "redraft:max-nodes=1",
    "redraft:max-nodes=3",
    "redraft:model",
    "redraft:model:max-nodes=5",
    "sd",
    "sd:gamma=7",
    "pld",
    "pld:n=1:tokens=3",
    "fastfixer",
    "fastfixer:key=1",
    "fastfixer:key=2:whole",
    "copyspec",
    "copyspec:gamma=1:tokens=50",
    "copyspec+sd",
    "copyspec+sd:gamma=5:draft=5",
    "rest",
    "rest:n=3:min-n=1:tokens=40:nodes=7",
    "fastcoder",
    "fastcoder:l=0:min-n=1:p=1",
    "fastcoder:l=3:every=2:fresh-cache:alpha=3",
    "fastcoder:no-cache",
    "fastcoder:no-strategy:no-repo",
    "fastcoder:no-common:p=0:nodes=1000:tokens=64",
    "efficientedit",
    "efficientedit:gamma=2:key=1",
    "efficientedit:keep-correction",
    "efficientedit:whole",
    "efficientedit:reuse-only",
    "efficientedit:reuse-only:keep-correction:key=2",
};

using Random = std::mt19937;

int between(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

std::vector<TokenId> random_tokens(Random& random, int count, int vocabulary) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) token = between(random, 1, vocabulary - 1);
  return tokens;
}

// The output with a few tokens replaced, put in or left out: an original that nearly fits.
std::vector<TokenId> near_miss(Random& random, std::span<const TokenId> output, int vocabulary) {
  std::vector<TokenId> tokens;
  const int one_in = between(random, 3, 20);
  for (const TokenId token : output) {
    const int dice = between(random, 0, 3 * one_in);
    if (dice == 0) continue;
    if (dice <= 2) tokens.push_back(between(random, 1, vocabulary - 1));
    if (dice != 2) tokens.push_back(token);
  }
  return tokens;
}

DecodeResult decode(const char* name, ModelSlot target, ModelSlot draft,
                    const DecodeRequest& request, const CostCurve& cost = {},
                    const TokenSink& sink = nullptr, std::stop_token stop = {},
                    DecoderMemory* memory = nullptr) {
  const auto parsed = parse_decoder_name(name);
  EXPECT_TRUE(parsed);
  auto decoder = Decoder::make(*parsed, target, draft, cost, memory);
  EXPECT_TRUE(decoder);
  auto result = (*decoder)->run(request, sink, std::move(stop));
  EXPECT_TRUE(result);
  return *std::move(result);
}

// Some tokens end a line, some are blank.
std::shared_ptr<const LineTable> random_lines(int seed, int vocabulary) {
  return std::make_shared<LineTable>(vocabulary, [seed](TokenId token) {
    constexpr std::string_view kTexts[] = {"\n", "  ", "x", "}\n", "\n  "};
    return kTexts[std::min<TokenId>((token + seed) % 11, 4)];
  });
}

// A target with its cache, a draft model that mostly agrees with it, and a request.
struct Case {
  explicit Case(std::uint32_t seed) : random(seed) {
    ScriptedModel::RandomOptions options;
    options.vocabulary = between(random, 3, 60);
    options.order = between(random, 1, 3);
    options.repetitiveness = between(random, 0, 100);
    target = std::make_unique<ScriptedModel>(ScriptedModel::random(seed, options));
    drafter = std::make_unique<ScriptedModel>(
        ScriptedModel::noisy(*target, seed, between(random, 0, 60)));
    const int prompt_size = between(random, 1, 40);
    request.prompt = random_tokens(random, prompt_size, options.vocabulary);
    const int limits[] = {1, 2, 3, 7, 50, 150};
    request.max_new_tokens = limits[between(random, 0, 5)];
    if (between(random, 0, 3) > 0) request.stop_tokens = {kStop};
    const int room = between(random, 0, 4) == 0 ? between(random, 1, 20) : 400;
    target_cache = target->new_cache(prompt_size + room);
    draft_cache = drafter->new_cache(prompt_size + between(random, 1, 400));
    memory = DecoderMemory(random_lines(static_cast<int>(seed), options.vocabulary));
    plain = decode("ar", target_slot(), {}, request);
    request.original = original();
    request.repository = datastore();
    request.common = datastore();
    static const CostCurve curves[] = {
        CostCurve(), CostCurve({{1, 1}}),
        CostCurve({{1, 1}, {4, 1.15}, {8, 1.35}, {16, 2.5}, {32, 4.9}, {64, 9.7}})};
    cost = curves[between(random, 0, 2)];
  }

  std::vector<TokenId> original() {
    const int vocabulary = target->vocabulary_size();
    switch (between(random, 0, 5)) {
      case 0:
        return {};
      case 1:
        return random_tokens(random, between(random, 1, 300), vocabulary);
      case 2: {  // over-long: fits, and then goes on
        std::vector<TokenId> tokens = plain.tokens;
        for (const TokenId token : random_tokens(random, 700, vocabulary)) tokens.push_back(token);
        return tokens;
      }
      case 3: {  // with stop tokens inside
        std::vector<TokenId> tokens = near_miss(random, plain.tokens, vocabulary);
        tokens.insert(tokens.begin() + between(random, 0, static_cast<int>(tokens.size())), kStop);
        return tokens;
      }
      case 4: {  // halves exchanged
        std::vector<TokenId> tokens = plain.tokens;
        std::rotate(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2),
                    tokens.end());
        return tokens;
      }
      default:
        return near_miss(random, plain.tokens, vocabulary);
    }
  }

  // Texts as an original may be, or none.
  std::shared_ptr<const Datastore> datastore() {
    const int count = between(random, 0, 3);
    if (count == 0) return nullptr;
    std::vector<std::vector<TokenId>> texts;
    for (int i = 0; i < count; ++i) {
      texts.push_back(original());
      texts.back().insert(texts.back().begin(), request.prompt.begin(), request.prompt.end());
    }
    return std::make_shared<MemoryDatastore>(texts);
  }

  // What the decoder makes of it, with the memory of what it made before.
  DecodeResult run(const char* name, const DecodeRequest& asked, const TokenSink& sink = nullptr,
                   std::stop_token stop = {}) {
    return decode(name, target_slot(), draft_slot(), asked, cost, sink, std::move(stop), &memory);
  }

  ModelSlot target_slot() { return {target.get(), target_cache.get()}; }
  ModelSlot draft_slot() { return {drafter.get(), draft_cache.get()}; }

  Random random;
  std::unique_ptr<ScriptedModel> target;
  std::unique_ptr<ScriptedModel> drafter;
  std::unique_ptr<KvCache> target_cache;
  std::unique_ptr<KvCache> draft_cache;
  DecodeRequest request;
  CostCurve cost;
  DecoderMemory memory;
  DecodeResult plain;
};

void expect_sums(const DecodeResult& result) {
  const DecodeStatistics& statistics = result.statistics;
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  EXPECT_EQ(statistics.new_tokens, static_cast<int>(result.tokens.size()));
  EXPECT_EQ(sum(statistics.accepted_by_origin) + statistics.bonus_tokens, statistics.new_tokens);
  // A pass in chunks has a row and perhaps a token of its own for each.
  const auto chunks = statistics.rows - sum(statistics.drafted_by_origin);
  EXPECT_LE(statistics.passes, chunks);
  EXPECT_LE(statistics.bonus_tokens, chunks);
  EXPECT_LE(statistics.drafted_passes, statistics.passes);
  EXPECT_LE(statistics.drafted_pass_tokens, statistics.new_tokens);
  for (int origin = 0; origin < kDraftOriginCount; ++origin) {
    EXPECT_LE(statistics.accepted_by_origin[origin], statistics.drafted_by_origin[origin]);
    EXPECT_LE(statistics.passes_by_origin[origin], statistics.drafted_passes);
    EXPECT_EQ(statistics.passes_by_origin[origin] > 0, statistics.drafted_by_origin[origin] > 0);
  }
}

TEST(Decoder, PlainDecodingIsTheModelItself) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
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
      EXPECT_EQ(c.target->next(sequence), kStop);
    }
    expect_sums(c.plain);
  }
}

TEST(Decoder, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    Case c(seed);
    for (const char* name : kStrictDecoders) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      std::vector<TokenId> seen;
      const auto sink = [&seen](TokenId token) {
        seen.push_back(token);
        return true;
      };
      const DecodeResult result = c.run(name, c.request, sink);
      ASSERT_EQ(result.tokens, c.plain.tokens);
      ASSERT_EQ(seen, c.plain.tokens);
      ASSERT_EQ(result.finish_reason, c.plain.finish_reason);
      expect_sums(result);
      // The cache is a prefix of what was said: the next request may rely on it.
      std::vector<TokenId> said = c.request.prompt;
      said.insert(said.end(), result.tokens.begin(), result.tokens.end());
      const auto kept = c.target_cache->tokens();
      ASSERT_LE(kept.size(), said.size());
      ASSERT_TRUE(std::equal(kept.begin(), kept.end(), said.begin()));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Decoder, ACancelledDecodeIsAPrefixAndCanBeResumed) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    Case c(seed);
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
    Case c(seed);
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
  Case c(1);
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

TEST(Decoder, WhatNeedsADraftModelSaysSo) {
  ScriptedModel model = ScriptedModel::random(1, {});
  const auto cache = model.new_cache(8);
  const auto name = parse_decoder_name("efficientedit");
  const auto decoder = Decoder::make(*name, {&model, cache.get()}, {}, {});
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().message().find("--draft"), std::string::npos);
}

// Nodes at random: mostly what the model would say on that path, so that long and short paths are
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

// Output of a loop of random trees, `count` tokens or a few more.
std::vector<TokenId> decode_with_random_trees(std::uint32_t seed, const AcceptancePolicy& policy,
                                              int count) {
  Random random(seed);
  ScriptedModel model = ScriptedModel::random(seed, {});
  const auto cache = model.new_cache(512);
  Verifier verifier(model, *cache);
  std::vector<TokenId> context = {1, 2, 3};
  std::vector<TokenId> output;
  while (static_cast<int>(output.size()) < count) {
    const Acceptance accepted =
        verifier.verify(context, random_tree(random, model, context, 24), policy);
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
    ASSERT_EQ(decode_with_random_trees(seed, {}, 120), decode_plainly(seed, 120))
        << "seed " << seed;
  }
}

// The test above would not notice an acceptance that lets everything through, were it not for this.
TEST(Verifier, AcceptingUncheckedDraftsIsNoticed) {
  AcceptancePolicy unchecked;
  unchecked.rule = AcceptancePolicy::Rule::kDirect;
  int differ = 0;
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    if (decode_with_random_trees(seed, unchecked, 120) != decode_plainly(seed, 120)) ++differ;
  }
  EXPECT_GE(differ, 45);
}

TEST(Decoder, LossyRulesDifferFromPlainDecoding) {
  for (const char* name :
       {"efficientedit:direct", "efficientedit:top-k", "efficientedit:entropy"}) {
    int differ = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      Case c(seed);
      const DecodeResult result = c.run(name, c.request);
      expect_sums(result);
      if (result.tokens != c.plain.tokens) ++differ;
    }
    EXPECT_GT(differ, 20) << name;
  }
}

}  // namespace
}  // namespace redraft
