// Whole models with all matrices in one format: what the loader, the embedding and stacks of
// experts make of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decoding/kernels/packed_layout.h"
#include "decoding/model/pass_work.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/kernels/kernel_cases.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"

namespace redraft {
namespace {

// All rows are whole superblocks. A mixture whose rows ask all experts makes no choice that
// rounding could change.
TinyModel tiny_model(const std::string& architecture, bool tied, int experts_used = 4) {
  return {.architecture = architecture,
          .hidden = 256,
          .feed_forward = 256,
          .head_dim = 64,
          .experts = 4,
          .experts_used = experts_used,
          .tied = tied};
}

std::vector<float> values_of(WeightFormat format, const std::vector<std::uint8_t>& data, int k) {
  const std::size_t stride = weight_bytes(format, 1, k);
  std::vector<float> values(data.size() / stride * static_cast<std::size_t>(k));
  for (std::size_t row = 0; row * stride < data.size(); ++row)
    dequantize_row(format, data.data() + row * stride, k,
                   values.data() + row * static_cast<std::size_t>(k));
  return values;
}

float largest_of(const std::vector<float>& values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

// With minima that leave as many weights below zero as above it. Otherwise all tokens would be
// alike.
void set_centred_scales(WeightFormat format, float scale, std::vector<std::uint8_t>& data) {
  kernels::set_scales(format, scale, data);
  if (!kernels::has_minimum(format)) return;
  const float middle = scale * std::exp2(static_cast<float>(kernels::code_bits(format) - 1));
  const std::uint16_t minimum =
      kernels::float_to_half(kernels::is_k_format(format) ? middle : -middle);
  const auto block = static_cast<std::size_t>(weight_format_info(format)->block_bytes);
  for (std::size_t at = kernels::half_places(format)[1]; at < data.size(); at += block)
    std::memcpy(&data[at], &minimum, sizeof(minimum));
}

// A model whose quantised matrices have random codes in `format`, and its twin with the floats that
// they stand for.
struct Twins {
  Twins(const TinyModel& tiny, WeightFormat format)
      : quantised(tiny.writer()), floats(tiny.writer()) {
    std::mt19937 random(5);
    for (std::size_t i = 0; i < quantised.tensors().size(); ++i) {
      GgufWriter::Tensor& tensor = quantised.tensors()[i];
      if (tensor.format != WeightFormat::kQ8_0) continue;
      const int k = static_cast<int>(tensor.shape[0]);
      const int rows = static_cast<int>(tensor.data.size() / weight_bytes(tensor.format, 1, k));
      tensor.format = format;
      tensor.data = kernels::random_file(format, rows, k, random);
      set_centred_scales(format, 0x1p-4F, tensor.data);
      const float most = largest_of(values_of(format, tensor.data, k));
      set_centred_scales(format, std::exp2(std::floor(std::log2(0x1p-6F / most))), tensor.data);
      GgufWriter::Tensor& twin = floats.tensors()[i];
      twin.format = WeightFormat::kF32;
      const std::vector<float> values = values_of(format, tensor.data, k);
      twin.data.resize(values.size() * sizeof(float));
      std::memcpy(twin.data.data(), values.data(), twin.data.size());
    }
  }
  GgufWriter quantised;
  GgufWriter floats;
};

class ModelOfEachFormat : public testing::TestWithParam<WeightFormat> {
 protected:
  Result<std::unique_ptr<LanguageModel>> try_load(const GgufWriter& writer) {
    files_.push_back(writer.bytes());
    return load_transformer(gguf_model(*GgufFile::parse("tiny.gguf", files_.back())),
                            kernels::best_isa(), pool_, {});
  }
  std::unique_ptr<LanguageModel> load(const GgufWriter& writer) {
    auto model = try_load(writer);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }
  static std::vector<float> logits(LanguageModel& model) {
    const std::vector<TokenId> tokens = random_tokens(model, 12, 8);
    const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
    std::vector<float> out;
    const LogitReader keep = [&](int, std::span<const float> row) {
      out.insert(out.end(), row.begin(), row.end());
    };
    const std::unique_ptr<KvCache> cache = model.new_cache(64);
    model.forward({tokens.data(), 1}, draft, *cache, {.logits = &keep});
    return out;
  }

  ThreadPool pool_{2};
  std::vector<std::vector<std::uint8_t>> files_;
};
INSTANTIATE_TEST_SUITE_P(, ModelOfEachFormat, testing::ValuesIn(kernels::kAllFormats),
                         [](const auto& of) {
                           return std::string(weight_format_info(of.param)->name);
                         });

// The logits' distance from those of the floats, as a share of their size, is what rounding the
// activations to eight bits leaves.
TEST_P(ModelOfEachFormat, IsNearTheModelOfItsFloats) {
  const WeightFormat format = GetParam();
  if (kernels::reads_floats(format)) GTEST_SKIP() << "exact, as transformer_test shows";
  for (const char* architecture : {"qwen2", "qwen3moe"}) {
    for (const bool tied : {false, true}) {
      const Twins twins(tiny_model(architecture, tied), format);
      const std::vector<float> got = logits(*load(twins.quantised));
      const std::vector<float> expected = logits(*load(twins.floats));
      ASSERT_EQ(got.size(), expected.size());
      double distance = 0;
      double size = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        distance += std::pow(got[i] - expected[i], 2);
        size += std::pow(expected[i], 2);
      }
      EXPECT_LT(std::sqrt(distance / size), 0.1) << architecture << (tied ? ", tied" : "");
    }
  }
}

TEST_P(ModelOfEachFormat, KeepsTheRowsPromises) {
  if (kernels::reads_floats(GetParam())) GTEST_SKIP() << "see transformer_test";
  for (const char* architecture : {"qwen2", "qwen3moe"}) {
    const Twins twins(tiny_model(architecture, false, 2), GetParam());
    const auto model = load(twins.quantised);
    check_chunking(*model, *load(twins.quantised), 20);
    check_trees(*model, 5, 8);
  }
}

TEST_P(ModelOfEachFormat, CountsTheWorkOfItsCodes) {
  const WeightFormat format = GetParam();
  if (kernels::reads_floats(format)) GTEST_SKIP() << "its work is in floats";
  const Twins twins(tiny_model("qwen2", false), format);
  const PassWork work = load(twins.quantised)->measuring()->work(1, 0);
  double all = 0;
  for (const double macs : work.integer_macs) all += macs;
  EXPECT_GT(all, 0);
  EXPECT_EQ(work.integer_macs[code_width_index(kernels::product_bits(format))], all);
}

// In an expert of a stack, with its number.
TEST_P(ModelOfEachFormat, AScaleThatIsNotFiniteIsNamed) {
  const WeightFormat format = GetParam();
  if (kernels::reads_floats(format)) GTEST_SKIP() << "it has no scales";
  Twins twins(tiny_model("qwen3moe", false), format);
  auto& stack = *std::ranges::find(twins.quantised.tensors(), "blk.1.ffn_up_exps.weight",
                                   &GgufWriter::Tensor::name);
  const auto block = static_cast<std::size_t>(weight_format_info(format)->block_bytes);
  const std::size_t at = stack.data.size() / 4 * 2 + 3 * block;  // in expert 2
  const std::uint8_t infinity[] = {0x00, 0x7c};
  if (format == WeightFormat::kMXFP4) {
    stack.data[at] = 0xff;
  } else {
    std::memcpy(&stack.data[at + kernels::half_places(format).back()], infinity, sizeof(infinity));
  }
  const auto model = try_load(twins.quantised);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(),
            "tiny.gguf: tensor 'blk.1.ffn_up_exps.weight': expert 2: holds a weight or a scale "
            "that is no finite number");
}

}  // namespace
}  // namespace redraft
