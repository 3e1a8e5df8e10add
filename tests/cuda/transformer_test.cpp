// The whole model as on a GPU: the guarantees of every LanguageModel. Runs on the emulated device,
// and on a real one if there is one.
#include "cuda/transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/cuda/device_model.h"
#include "tests/decoding/model/transformer_checks.h"

namespace redraft::cuda {
namespace {

using testing::HasSubstr;

class CudaTransformer : public DeviceModelTest {};

TEST_F(CudaTransformer, ChunksLeaveNoTrace) {
  const auto model = on_gpu(small_model());
  check_chunking(*model, *model, 22);
}

TEST_F(CudaTransformer, ANodeOfATreeIsTheEndOfAChain) {
  const auto model = on_gpu(small_model());
  check_trees(*model, 18, 7);
}

TEST_F(CudaTransformer, KeepsAPathAndForgets) {
  const auto model = on_gpu(small_model("llama"));
  check_keep_and_truncate(*model, 20, 10);
}

// Passes of few rows are recorded, those with scores are not: the best tokens are the same.
TEST_F(CudaTransformer, ARecordedPassIsThePass) {
  const auto model = on_gpu(small_model());
  const std::vector<TokenId> tokens = random_tokens(*model, 40, 9);
  const auto recorded = model->new_cache(300), plain = model->new_cache(300);
  for (int turn = 0; turn < 3; ++turn) {
    const auto begin = std::size_t{11} * static_cast<std::size_t>(turn);
    for (const int nodes : {0, 1, 6, 9}) {
      const DraftTree tree = random_tree(*model, nodes, static_cast<std::uint32_t>(nodes + turn));
      const auto run = [&](KvCache& cache, int top_k) {
        const auto context = std::span(tokens).subspan(begin, turn == 1 ? 3 : 1);
        const Predictions out = model->forward(context, tree, cache, {.top_k = top_k});
        if (nodes > 0) cache.keep(path_to(tree, nodes - 1));
        return out.argmax;
      };
      EXPECT_EQ(run(*recorded, 0), run(*plain, 2)) << nodes << " nodes, turn " << turn;
    }
  }
  const TokenId next = 7;
  EXPECT_TRUE(prefill(*model, *recorded, {&next, 1}, 1) == prefill(*model, *plain, {&next, 1}, 1));
  // The cache moves as it grows; recordings must follow.
  const std::vector<TokenId> many = random_tokens(*model, 250, 10);
  const auto large = model->new_cache(700), other = model->new_cache(700);
  for (int part = 0; part < 2; ++part) {
    const auto run = [&](KvCache& cache, int top_k) {
      return model->forward(many, {}, cache, {.every_row = false, .top_k = top_k}).argmax;
    };
    EXPECT_EQ(run(*large, 0), run(*other, 2));
    const auto one = [&](KvCache& cache, int top_k) {
      return model->forward({&next, 1}, {}, cache, {.top_k = top_k}).argmax;
    };
    EXPECT_EQ(one(*large, 0), one(*other, 2));
  }
}

TEST_F(CudaTransformer, ScoresAreThoseOfTheLogits) {
  const auto model = on_gpu(small_model());
  check_scores(*model);
}

TEST_F(CudaTransformer, LogitsAreThoseOfThePredictions) {
  const auto model = on_gpu(small_model());
  check_logits(*model);
}

TEST_F(CudaTransformer, AForkKnowsNothingOfItsOrigin) {
  const auto model = on_gpu(small_model());
  const std::vector<TokenId> tokens = random_tokens(*model, 12, 3);
  const auto cache = model->new_cache(40);
  prefill(*model, *cache, tokens, 12);
  const auto fork = cache->fork(8);
  const auto fresh = model->new_cache(40);
  prefill(*model, *fresh, std::span(tokens).first(8), 8);
  const TokenId next = 5;
  EXPECT_TRUE(prefill(*model, *fork, {&next, 1}, 1) == prefill(*model, *fresh, {&next, 1}, 1));
  EXPECT_EQ(cache->length(), 12);
}

TEST_F(CudaTransformer, ACacheGrowsAndShrinksWithItsTokens) {
  const auto model = on_gpu(small_model());
  const std::vector<TokenId> tokens = random_tokens(*model, 520, 4);
  const auto cache = model->new_cache(1000);
  EXPECT_EQ(cache->bytes(), 0U);
  const auto whole = prefill(*model, *cache, tokens, 520);  // in two blocks
  EXPECT_EQ(cache->bytes(), cache->bytes_of(520));
  EXPECT_GT(cache->bytes_of(520), cache->bytes_of(500));
  cache->truncate(511);
  EXPECT_TRUE(prefill(*model, *cache, std::span(tokens).subspan(511), 3) == whole);
  cache->truncate(3);
  cache->trim();
  EXPECT_EQ(cache->bytes(), cache->bytes_of(3));
}

TEST_F(CudaTransformer, RefusesWhatItsKernelsDoNotTake) {
  TinyModel odd = small_model();
  odd.head_dim = 16;
  auto refused = load_transformer(files_of(odd.writer()), pool_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("heads of 16"));
  TinyModel mixed = small_model();
  mixed.mixed_formats = true;
  refused = load_transformer(files_of(mixed.writer()), pool_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("on a GPU"));
  refused = load_transformer(files_of(small_model("qwen3moe").writer()), pool_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "tiny.gguf: a mixture of experts runs on the CPU only (--device cpu), not on a GPU");
  refused = load_transformer(files_of(small_model("lfm2").writer()), pool_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "tiny.gguf: a model with recurrent layers runs on the CPU only (--device cpu), not on a "
      "GPU");
  for (const auto& [architecture, what] :
       {std::pair("smollm3", "a model with layers that see no positions"),
        std::pair("mistral3", "a Mistral 3 model"),
        std::pair("granite", "a model with scaled residuals")}) {
    refused = load_transformer(files_of(small_model(architecture).writer()), pool_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), "tiny.gguf: " + std::string(what) +
                                             " runs on the CPU only (--device cpu), not on a GPU");
  }
  std::stop_source stop;
  stop.request_stop();
  refused = load_transformer(files_of(small_model().writer()), pool_,
                             {.stop = stop.get_token(), .progress = {}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("cancelled"));
}

}  // namespace
}  // namespace redraft::cuda
