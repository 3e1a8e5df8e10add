// Sampling is as exact as greedy decoding: whatever is guessed, a seed's output is that of plain
// sampling with this seed, and over seeds it has the model's own distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "decoding/decoder.h"
#include "decoding/sampler.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/scripted_model.h"
#include "tests/kit/strict_decoders.h"

namespace redraft {
namespace {

SamplingOptions sampling_of(std::uint32_t seed) {
  constexpr double kTemperatures[] = {0.2, 0.7, 1.0, 1.4, 2.0};
  constexpr double kShares[] = {1.0, 0.9, 0.5};
  constexpr int kCounts[] = {0, 0, 3, 20};
  constexpr double kFloors[] = {0, 0, 0, 0, 0, 0, 0.1};
  return {kTemperatures[seed % 5], kShares[seed % 3], seed * std::uint64_t{0x9e3779b97f4a7c15},
          kCounts[seed % 4], kFloors[seed % 7]};
}

TEST(SampledDecoding, PlainSamplingDrawsFromTheModelsRows) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    LosslessCase c(seed);
    c.choose(sampling_of(seed), 3);
    std::vector<TokenId> sequence = c.request.prompt;
    std::vector<double> weights;
    ASSERT_EQ(c.plain.log_probabilities.size(), c.plain.tokens.size());
    for (std::size_t i = 0; i < c.plain.tokens.size(); ++i) {
      const std::vector<float> logits = c.target->logits(sequence);
      const double number = random_number(c.request.sampling.seed, i);
      ASSERT_EQ(c.plain.tokens[i], draw_token(logits, c.request.sampling, number, weights));
      ASSERT_EQ(c.plain.log_probabilities[i], log_probability_of(c.plain.tokens[i], logits, 3));
      sequence.push_back(c.plain.tokens[i]);
    }
    expect_sums(c.plain);
  }
}

TEST(SampledDecoding, EveryStrictDecoderWritesWhatPlainSamplingWrites) {
  std::int64_t accepted = 0;
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    LosslessCase c(seed);
    c.choose(sampling_of(seed), seed % 4 == 0 ? std::optional<int>(2) : std::nullopt);
    for (const char* name : kStrictDecoders) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      ASSERT_EQ(c.difference(name), "");
      if (::testing::Test::HasFailure()) return;
    }
    const DecodeStatistics statistics = c.run("redraft", c.request).statistics;
    accepted += statistics.new_tokens - statistics.bonus_tokens;
  }
  EXPECT_GT(accepted, 3000) << "drafts that are never accepted would show nothing";
}

// What is remembered from a sampled request makes drafts for a greedy one, and the other way.
TEST(SampledDecoding, RequestsAfterEachOtherDoNotMix) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    LosslessCase c(seed);
    for (int turn = 0; turn < 4; ++turn) {
      SCOPED_TRACE(testing::Message() << "turn " << turn << ", seed " << seed);
      c.choose(
          turn % 2 == 0 ? sampling_of(seed + static_cast<std::uint32_t>(turn)) : SamplingOptions(),
          std::nullopt);
      for (const char* name : {"redraft", "redraft:model", "fastcoder", "ouroboros", "copyspec+sd"})
        ASSERT_EQ(c.difference(name), "") << name;
      c.ask_again();
    }
  }
}

TEST(SampledDecoding, GreedyTokensHaveLogProbabilitiesWithEveryDecoder) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    LosslessCase c(seed);
    const std::vector<TokenId> greedy = c.plain.tokens;
    EXPECT_TRUE(c.plain.log_probabilities.empty()) << "nobody asked";
    c.choose({}, static_cast<int>(seed % 4));
    ASSERT_EQ(c.plain.tokens, greedy);
    ASSERT_EQ(c.plain.log_probabilities.size(), greedy.size());
    for (const char* name : kStrictDecoders) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      ASSERT_EQ(c.difference(name), "");
    }
  }
}

TEST(SampledDecoding, ACancelledSampleIsAPrefix) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    LosslessCase c(seed);
    c.choose(sampling_of(seed), 0);
    std::stop_source stop;
    int left = between(c.random, 1, 30);
    const auto sink = [&](TokenId) {
      if (--left == 0) stop.request_stop();
      return true;
    };
    const DecodeResult result = c.run("redraft", c.request, sink, stop.get_token());
    ASSERT_LE(result.tokens.size(), c.plain.tokens.size());
    EXPECT_TRUE(std::equal(result.tokens.begin(), result.tokens.end(), c.plain.tokens.begin()));
    EXPECT_EQ(result.log_probabilities.size(), result.tokens.size());
  }
}

TEST(SampledDecoding, EachTokenComesWithItsLogProbability) {
  LosslessCase c(12);
  c.request.max_new_tokens = 40;
  c.choose(sampling_of(2), 5);
  std::vector<EmittedLogProbability> seen;
  c.request.on_emitted = [&seen](const EmittedToken& token) {
    ASSERT_NE(token.log_probability, nullptr);
    seen.push_back(*token.log_probability);
  };
  EXPECT_EQ(c.run("redraft", c.request).log_probabilities, seen);
  EXPECT_EQ(seen, c.plain.log_probabilities);
  c.request.log_probabilities.reset();
  c.request.on_emitted = [](const EmittedToken& token) {
    EXPECT_EQ(token.log_probability, nullptr);
  };
  EXPECT_TRUE(c.run("redraft", c.request).log_probabilities.empty());
}

// What a distribution over outputs of a few tokens is, token by token.
class ExactLaw {
 public:
  ExactLaw(const ScriptedModel& model, const SamplingOptions& sampling)
      : model_(model), sampling_(sampling) {}

  // Independent of draw_token(): ranks all, and adds up.
  std::vector<double> next(std::span<const TokenId> sequence) const {
    std::vector<double> shares;
    for (const float logit : model_.logits(sequence))
      shares.push_back(std::exp(logit / sampling_.temperature));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<std::size_t> ranked(shares.size());
    std::iota(ranked.begin(), ranked.end(), 0);
    std::ranges::stable_sort(ranked, [&](auto a, auto b) { return shares[a] > shares[b]; });
    double kept = 0;
    std::vector<double> law(shares.size(), 0);
    for (const std::size_t token : ranked) {
      law[token] = shares[token];
      kept += shares[token];
      if (kept >= sampling_.top_p * sum) break;
    }
    for (double& share : law) share /= kept;
    return law;
  }

  // Of every output of `count` tokens that can be.
  void add_outputs(std::vector<TokenId>& sequence, std::size_t prompt, int count, double share,
                   std::map<std::vector<TokenId>, double>& out) const {
    if (count == 0) {
      out[{sequence.begin() + static_cast<std::ptrdiff_t>(prompt), sequence.end()}] = share;
      return;
    }
    const std::vector<double> law = next(sequence);
    for (std::size_t token = 0; token < law.size(); ++token) {
      if (law[token] == 0) continue;
      sequence.push_back(static_cast<TokenId>(token));
      add_outputs(sequence, prompt, count - 1, share * law[token], out);
      sequence.pop_back();
    }
  }

 private:
  const ScriptedModel& model_;
  SamplingOptions sampling_;
};

// How far counts of outputs are from a law, as a number of standard deviations of chi-square
// (Wilson and Hilferty's normal form of it). Outputs that are expected fewer than five times count
// together. Infinite if there is one that the law excludes.
double distance(const std::map<std::vector<TokenId>, int>& counts,
                const std::map<std::vector<TokenId>, double>& law, int total) {
  double sum = 0, rare_expected = 0;
  int rare = 0, cells = 0;
  const auto add = [&](double expected, int counted) {
    sum += (counted - expected) * (counted - expected) / expected;
    ++cells;
  };
  int known = 0;
  for (const auto& [output, share] : law) {
    const auto found = counts.find(output);
    const int counted = found == counts.end() ? 0 : found->second;
    known += counted;
    if (share * total >= 5) {
      add(share * total, counted);
    } else {
      rare_expected += share * total;
      rare += counted;
    }
  }
  if (known != total) return std::numeric_limits<double>::infinity();
  if (rare_expected > 0) add(rare_expected, rare);
  const double freedom = cells - 1;
  const double part = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - part)) / std::sqrt(part);
}

// Outputs of three tokens over many seeds, with drafts that are right about half of the time.
std::map<std::vector<TokenId>, int> sampled_outputs(ScriptedModel& model, DecodeRequest request,
                                                    const char* decoder, int seeds) {
  std::map<std::vector<TokenId>, int> counts;
  const auto cache = model.new_cache(256);
  DecoderMemory memory;
  for (int seed = 0; seed < seeds; ++seed) {
    request.sampling.seed = static_cast<std::uint64_t>(seed);
    const DecodeResult result =
        decode(decoder, {&model, cache.get()}, {}, request, {}, nullptr, {}, &memory);
    ++counts[result.tokens];
  }
  return counts;
}

TEST(SampledDecoding, OverSeedsTheLawIsTheModels) {
  constexpr int kSeeds = 12000;
  ScriptedModel model = ScriptedModel::random(5, {.vocabulary = 6});
  for (const double temperature : {1.0, 1.8}) {
    for (const double top_p : {1.0, 0.85}) {
      for (const char* decoder : {"ar", "redraft", "pld:n=1:tokens=3", "lookahead", "fastfixer"}) {
        SCOPED_TRACE(testing::Message() << decoder << ", " << temperature << ", " << top_p);
        DecodeRequest request;
        request.prompt = {1, 2, 3, 1, 4, 2, 3, 0};  // the model is not sure what follows
        request.original = {model.next(request.prompt), 4, 2, 1, 3, 5, 4};
        request.max_new_tokens = 3;
        request.sampling = {temperature, top_p, 0};
        std::map<std::vector<TokenId>, double> law;
        std::vector<TokenId> sequence = request.prompt;
        ExactLaw(model, request.sampling).add_outputs(sequence, sequence.size(), 3, 1, law);
        ASSERT_GT(law.size(), 8U);
        const auto counts = sampled_outputs(model, request, decoder, kSeeds);
        EXPECT_LT(std::abs(distance(counts, law, kSeeds)), 4);
        // A law that is a little off is noticed.
        std::map<std::vector<TokenId>, double> other;
        ExactLaw(model, {temperature * 1.15, 1, 0})
            .add_outputs(sequence, sequence.size(), 3, 1, other);
        EXPECT_GT(distance(counts, other, kSeeds), 4);
      }
    }
  }
}

TEST(SampledDecoding, SeedsDifferAndEachIsReproducible) {
  ScriptedModel model = ScriptedModel::random(9, {});
  DecodeRequest request;
  request.prompt = {1, 2, 3};
  request.max_new_tokens = 60;
  std::map<std::vector<TokenId>, int> outputs;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    request.sampling = {1, 1, seed};
    const auto cache = model.new_cache(256);
    const DecodeResult once = decode("redraft", {&model, cache.get()}, {}, request);
    EXPECT_EQ(decode("redraft", {&model, cache.get()}, {}, request).tokens, once.tokens);
    ++outputs[once.tokens];
  }
  EXPECT_EQ(outputs.size(), 40U);
}

TEST(SampledDecoding, LossyRulesAreRefusedByName) {
  for (const char* text :
       {"efficientedit:direct", "efficientedit:top-k", "efficientedit:entropy"}) {
    LosslessCase c(3);
    const auto name = parse_decoder_name(text);
    const auto decoder = Decoder::make(*name, c.target_slot(), c.draft_slot(), c.cost, &c.memory);
    ASSERT_TRUE(decoder);
    EXPECT_TRUE((*decoder)->run(c.request, nullptr, {})) << text;
    c.request.sampling.temperature = 0.5;
    const auto sampled = (*decoder)->run(c.request, nullptr, {});
    ASSERT_FALSE(sampled);
    EXPECT_NE(sampled.error().message().find(text), std::string::npos);
    EXPECT_NE(sampled.error().message().find("to sample"), std::string::npos);
    c.request.sampling = {};
    c.request.log_probabilities = 0;
    const auto scored = (*decoder)->run(c.request, nullptr, {});
    ASSERT_FALSE(scored);
    EXPECT_NE(scored.error().message().find("log probabilities"), std::string::npos);
  }
}

TEST(SampledDecoding, ChoicesOutOfRangeAreAnError) {
  LosslessCase c(3);
  const auto decoder = Decoder::make({}, c.target_slot(), {}, c.cost, &c.memory);
  for (const auto& change : std::vector<std::function<void(DecodeRequest&)>>{
           [](DecodeRequest& request) { request.sampling.temperature = 3; },
           [](DecodeRequest& request) { request.sampling.top_p = -1; },
           [](DecodeRequest& request) { request.sampling.top_k = -1; },
           [](DecodeRequest& request) { request.log_probabilities = kMaxLikeliest + 1; },
           [](DecodeRequest& request) { request.log_probabilities = -1; }}) {
    DecodeRequest request = c.request;
    change(request);
    EXPECT_FALSE((*decoder)->run(request, nullptr, {}));
  }
}

// A prediction that the prompt does not show is a draft like a buffer's text.
TEST(SampledDecoding, APredictionIsDraftedFrom) {
  ScriptedModel model = ScriptedModel::random(4, {.vocabulary = 1000, .order = 3});
  const auto cache = model.new_cache(512);
  for (const double temperature : {0.0, 0.3}) {
    DecodeRequest request;
    request.prompt = {1, 2, 3};
    request.max_new_tokens = 200;
    request.sampling = {temperature, 1, 5};
    const DecodeResult plain = decode("ar", {&model, cache.get()}, {}, request);
    request.original = plain.tokens;
    const DecodeResult result = decode("redraft", {&model, cache.get()}, {}, request);
    EXPECT_EQ(result.tokens, plain.tokens);
    const auto reused = static_cast<std::size_t>(DraftOrigin::kReuse);
    EXPECT_GT(result.statistics.accepted_by_origin[reused], 150);
    EXPECT_LT(result.statistics.passes, 40);
  }
}

}  // namespace
}  // namespace redraft
