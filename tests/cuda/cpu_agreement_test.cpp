// The same model on the emulated device and on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/model/transformer.h"
#include "tests/cuda/device_model.h"
#include "tests/decoding/model/row_invariance.h"

namespace redraft::cuda {
namespace {

class CudaAgreement : public DeviceModelTest {
 protected:
  std::unique_ptr<LanguageModel> on_cpu(const TinyModel& model) {
    auto loaded = redraft::load_transformer(files_of(model.writer()), kernels::best_isa(), pool_);
    EXPECT_TRUE(loaded) << loaded.error().message();
    return std::move(*loaded);
  }
};

// Of the same tokens, in the order of ids; [rows][vocabulary].
std::vector<float> logits_of(LanguageModel& model, std::span<const TokenId> tokens) {
  const int vocabulary = model.vocabulary_size();
  const auto cache = model.new_cache(static_cast<int>(tokens.size()));
  const DraftTree draft = DraftTree::chain(tokens.subspan(1), DraftOrigin::kOther);
  const Predictions all = model.forward(tokens.first(1), draft, *cache, {.top_k = vocabulary});
  std::vector<float> logits(all.top_ids.size());
  for (std::size_t i = 0; i < all.top_ids.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(vocabulary);
    logits[row * static_cast<std::size_t>(vocabulary) + static_cast<std::size_t>(all.top_ids[i])] =
        all.top_logits[i];
  }
  return logits;
}

// Both round, but not the same things: the CPU activations to 8 bits, the GPU weights to 11.
TEST_F(CudaAgreement, WithTheCpu) {
  for (const char* architecture : {"qwen2", "qwen3", "llama"}) {
    TinyModel tiny = small_model(architecture);
    tiny.tied = architecture == std::string("qwen3");
    const auto gpu = on_gpu(tiny), cpu = on_cpu(tiny);
    const std::vector<TokenId> tokens = random_tokens(*cpu, 9, 1);
    const std::vector<float> ours = logits_of(*gpu, tokens), reference = logits_of(*cpu, tokens);
    const auto [least, most] = std::ranges::minmax(reference);
    double sum = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) sum += std::fabs(ours[i] - reference[i]);
    EXPECT_LT(sum / static_cast<double>(ours.size()), 0.005 * static_cast<double>(most - least))
        << architecture;
  }
}

}  // namespace
}  // namespace redraft::cuda
