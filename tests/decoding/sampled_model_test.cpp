// Sampling from a real model: drafts change nothing, seeds do, and how likely tokens are called is
// what the model's scores say.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"

namespace redraft {
namespace {

constexpr const char* kPrompt =
    "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n\n\n"
    "def multiply(a, b):\n";

class SampledModel : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = find_model("smollm2-135m");
    ASSERT_TRUE(file) << file.error().message();
    auto loaded = load_model(*file, pool_);
    ASSERT_TRUE(loaded) << loaded.error().message();
    loaded_ = *std::move(loaded);
    request_.prompt = loaded_.tokenizer->encode(kPrompt);
    request_.max_new_tokens = 40;
    request_.original = loaded_.tokenizer->encode("    return a * b\n\n\ndef divide(a, b):\n");
  }

  // Each with a cache of its own: nothing is shared but the model.
  DecodeResult decode(const char* name, const DecodeRequest& request) {
    const auto cache = loaded_.model->new_cache(512);
    const CostCurve cost({{1, 1}, {64, 3}});
    auto decoder =
        Decoder::make(*parse_decoder_name(name), {loaded_.model.get(), cache.get()}, {}, cost);
    EXPECT_TRUE(decoder);
    auto result = (*decoder)->run(request, nullptr, {});
    EXPECT_TRUE(result);
    return *std::move(result);
  }

  void expect_the_same_with_drafts(const SamplingOptions& sampling) {
    request_.sampling = sampling;
    request_.log_probabilities = 3;
    const DecodeResult plain = decode("ar", request_);
    for (const char* name : {"redraft", "fastfixer", "pld"}) {
      const DecodeResult result = decode(name, request_);
      EXPECT_EQ(result.tokens, plain.tokens) << name << ", seed " << sampling.seed;
      EXPECT_EQ(result.finish_reason, plain.finish_reason);
      EXPECT_EQ(result.log_probabilities, plain.log_probabilities)
          << name << ", seed " << sampling.seed;
      drafted_ += result.statistics.new_tokens - result.statistics.bonus_tokens;
    }
    texts_.insert(plain.tokens);
  }

  ThreadPool pool_{2};
  LoadedModel loaded_;
  DecodeRequest request_;
  std::set<std::vector<TokenId>> texts_;  // of the seeds so far
  int drafted_ = 0;                       // tokens that were accepted drafts
};

TEST_F(SampledModel, DraftsDoNotChangeWhatASeedWrites) {
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    expect_the_same_with_drafts({.temperature = 0.8, .top_p = 0.95, .seed = seed});
  EXPECT_EQ(texts_.size(), 4U) << "each seed has its own";
  EXPECT_GT(drafted_, 50) << "nothing is shown if no draft is accepted";
}

TEST_F(SampledModel, DraftsDoNotChangeWhatASeedWritesFromFewerTokens) {
  expect_the_same_with_drafts({.temperature = 0.8, .seed = 1, .top_k = 20});
  expect_the_same_with_drafts({.temperature = 0.8, .seed = 2, .min_p = 0.05});
  expect_the_same_with_drafts(
      {.temperature = 0.8, .top_p = 0.95, .seed = 3, .top_k = 40, .min_p = 0.02});
  EXPECT_EQ(texts_.size(), 3U) << "each seed has its own";
  EXPECT_GT(drafted_, 30) << "nothing is shown if no draft is accepted";
}

TEST_F(SampledModel, LogProbabilitiesAreTheModelsScores) {
  request_.log_probabilities = 5;
  for (const double temperature : {0.0, 1.2}) {
    request_.sampling.temperature = temperature;
    const DecodeResult result = decode("redraft", request_);
    ASSERT_EQ(result.log_probabilities.size(), result.tokens.size());
    const auto cache = loaded_.model->new_cache(512);
    const DraftTree written = DraftTree::chain(result.tokens, DraftOrigin::kOther);
    std::vector<TokenId> scored = result.tokens;
    scored.push_back(0);
    const Predictions predicted =
        loaded_.model->forward(request_.prompt, written, *cache, {.top_k = 5, .scored = scored});
    for (std::size_t i = 0; i < result.tokens.size(); ++i) {
      const EmittedLogProbability& of = result.log_probabilities[i];
      EXPECT_NEAR(of.log_probability, predicted.log_probability[i], 1e-4) << "token " << i;
      ASSERT_EQ(of.likeliest.size(), 5U);
      for (std::size_t rank = 0; rank < 5; ++rank)
        EXPECT_EQ(of.likeliest[rank].token, predicted.top_ids[5 * i + rank]) << "token " << i;
      if (temperature == 0) {
        EXPECT_EQ(of.likeliest[0].token, result.tokens[i]);
      }
    }
  }
}

TEST_F(SampledModel, AskingForLogProbabilitiesChangesNoGreedyToken) {
  const DecodeResult greedy = decode("ar", request_);
  request_.log_probabilities = 0;
  for (const char* name : {"ar", "redraft"})
    EXPECT_EQ(decode(name, request_).tokens, greedy.tokens) << name;
}

}  // namespace
}  // namespace redraft
