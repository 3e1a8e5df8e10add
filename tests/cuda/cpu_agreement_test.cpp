// The same model on the emulated device and on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "decoding/kernels/half.h"
#include "decoding/kernels/linear.h"
#include "decoding/model/transformer.h"
#include "tests/cuda/device_model.h"
#include "tests/decoding/model/row_invariance.h"

namespace redraft::cuda {
namespace {

// Logits after the given tokens, in the order of ids; [rows][vocabulary].
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

// Both round, but not the same numbers: the CPU rounds activations to 8 bits, the GPU weights to
// 11.
class CudaAgreement : public DeviceModelTest {
 protected:
  void expect_agreement(const GgufWriter& writer, const std::string& what) {
    auto on_cpu = redraft::load_transformer(files_of(writer), kernels::best_isa(), pool_);
    auto on_gpu = load_transformer(files_of(writer), pool_);
    ASSERT_TRUE(on_cpu && on_gpu) << what;
    const std::vector<TokenId> tokens = random_tokens(**on_cpu, 9, 1);
    const std::vector<float> ours = logits_of(**on_gpu, tokens);
    const std::vector<float> reference = logits_of(**on_cpu, tokens);
    const auto [least, most] = std::ranges::minmax(reference);
    double sum = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) sum += std::fabs(ours[i] - reference[i]);
    EXPECT_LT(sum / static_cast<double>(ours.size()), 0.005 * static_cast<double>(most - least))
        << what;
  }
};

TEST_F(CudaAgreement, WithTheCpu) {
  for (const char* architecture : {"qwen2", "qwen3", "llama", "seed_oss"}) {
    TinyModel tiny = small_model(architecture);
    tiny.tied = architecture == std::string("qwen3");
    expect_agreement(tiny.writer(), architecture);
  }
}

// As in files of mixed formats: matrices with the same input that cannot all be joined.
TEST_F(CudaAgreement, WhereReadersOfOneInputHaveSeveralFormats) {
  for (const char* other : {"attn_q", "attn_k", "attn_v", "ffn_up"}) {
    GgufWriter writer = small_model().writer();
    std::mt19937 random(1);
    for (GgufWriter::Tensor& tensor : writer.tensors()) {
      if (tensor.name != std::string("blk.1.") + other + ".weight") continue;
      tensor.format = WeightFormat::kF16;
      tensor.data.clear();
      for (std::int64_t i = 0; i < tensor.shape[0] * tensor.shape[1]; ++i) {
        const std::uint16_t half =
            kernels::float_to_half(static_cast<float>(random() % 1000) / 2000.0F - 0.25F);
        tensor.data.push_back(static_cast<std::uint8_t>(half & 0xff));
        tensor.data.push_back(static_cast<std::uint8_t>(half >> 8));
      }
    }
    expect_agreement(writer, other);
  }
}

}  // namespace
}  // namespace redraft::cuda
