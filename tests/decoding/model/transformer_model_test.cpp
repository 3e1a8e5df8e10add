// The guarantees of the LanguageModel interface with real weights.
#include <gtest/gtest.h>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/gguf.h"
#include "decoding/model/model_store.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/model/cache_bits.h"
#include "tests/decoding/model/cache_checks.h"
#include "tests/decoding/model/transformer_checks.h"

namespace redraft {
namespace {

class SmallModel : public ::testing::Test {
 protected:
  static std::unique_ptr<LanguageModel> load(ThreadPool& pool) {
    const Result<std::filesystem::path> file = find_model("qwen2.5-coder-0.5b");
    EXPECT_TRUE(file) << file.error().message();
    auto files = open_model_files(*file);
    EXPECT_TRUE(files) << files.error().message();
    auto model = load_transformer(std::move(*files), kernels::best_isa(), pool);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }

  ThreadPool one_{1};
  ThreadPool two_{2};
};

TEST_F(SmallModel, ChunksAndThreadsLeaveNoTrace) {
  const auto model = load(two_);
  const auto other = load(one_);
  check_chunking(*model, *other, 80);
}

TEST_F(SmallModel, ChunksAndThreadsLeaveTheCacheAsItIs) {
  const auto model = load(two_);
  const auto other = load(one_);
  check_cache_bits(*model, *other, 24, 200);
}

TEST_F(SmallModel, TreeRowsAreChainRows) {
  const auto model = load(two_);
  check_trees(*model, 70, 16);
}

TEST_F(SmallModel, KeptAndTruncatedCachesAreAsGoodAsNew) {
  const auto model = load(two_);
  check_keep_and_truncate(*model, 30, 24);
}

TEST_F(SmallModel, AnyHistoryOfACacheIsAFreshPrefill) {
  const auto model = load(two_);
  check_cache_histories(*model, 2, 60, 40);
  check_cache_memory(*model);
}

TEST_F(SmallModel, ScoresAreLogProbabilities) {
  const auto model = load(two_);
  check_scores(*model);
  check_logits(*model);
}

}  // namespace
}  // namespace redraft
