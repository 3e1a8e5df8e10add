// The feed-forward block of a mixture: what it computes, that a row has the same bits whichever
// rows share its experts, and what a model of such blocks does otherwise.
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "decoding/model/expert_block.h"
#include "decoding/model/pass_work.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"
#include "tests/kit/folder_on_disk.h"

namespace redraft {
namespace {

using Rows = std::vector<std::vector<float>>;

TinyModel tiny_mixture() { return {.architecture = "qwen3moe", .experts = 12, .experts_used = 4}; }

GgufWriter::Tensor& tensor(GgufWriter& writer, std::string_view name) {
  return *std::ranges::find(writer.tensors(), name, &GgufWriter::Tensor::name);
}

std::vector<float> floats_of(const GgufWriter::Tensor& tensor) {
  const auto columns = static_cast<std::size_t>(tensor.shape[0]);
  const std::size_t row_bytes = weight_bytes(tensor.format, 1, tensor.shape[0]);
  std::vector<float> out(tensor.data.size() / row_bytes * columns);
  for (std::size_t row = 0; row * columns < out.size(); ++row) {
    dequantize_row(tensor.format, tensor.data.data() + row * row_bytes,
                   static_cast<int>(tensor.shape[0]), out.data() + row * columns);
  }
  return out;
}

void set_router(GgufWriter& writer, int layer, const std::vector<float>& values) {
  GgufWriter::Tensor& router =
      tensor(writer, "blk." + std::to_string(layer) + ".ffn_gate_inp.weight");
  ASSERT_EQ(router.data.size(), values.size() * sizeof(float));
  std::memcpy(router.data.data(), values.data(), router.data.size());
}

Rows random_rows(int count, int width, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Rows rows(static_cast<std::size_t>(count), std::vector<float>(static_cast<std::size_t>(width)));
  for (auto& row : rows) std::ranges::generate(row, [&] { return normal(random); });
  return rows;
}

// The first layer's block, in double precision.
class ReferenceBlock {
 public:
  ReferenceBlock(const TinyModel& tiny, GgufWriter& writer)
      : tiny_(tiny),
        router_(floats_of(tensor(writer, "blk.0.ffn_gate_inp.weight"))),
        gate_(floats_of(tensor(writer, "blk.0.ffn_gate_exps.weight"))),
        up_(floats_of(tensor(writer, "blk.0.ffn_up_exps.weight"))),
        down_(floats_of(tensor(writer, "blk.0.ffn_down_exps.weight"))) {}

  std::vector<int> chosen(const std::vector<float>& x) const {
    const std::vector<double> scores = times(router_, 0, tiny_.experts, {x.begin(), x.end()});
    std::vector<int> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) { return scores[a] > scores[b]; });
    order.resize(static_cast<std::size_t>(tiny_.experts_used));
    return order;
  }

  std::vector<double> run(const std::vector<float>& row) const {
    const std::vector<double> x(row.begin(), row.end());
    const std::vector<double> scores = times(router_, 0, tiny_.experts, x);
    const std::vector<int> asked = chosen(row);
    double all = 0;
    for (const int expert : asked) all += std::exp(scores[expert] - scores[asked[0]]);
    std::vector<double> out(row.size());
    for (const int expert : asked) {
      std::vector<double> inner = times(gate_, expert, tiny_.feed_forward, x);
      const std::vector<double> up = times(up_, expert, tiny_.feed_forward, x);
      for (std::size_t i = 0; i < inner.size(); ++i) inner[i] *= up[i] / (1 + std::exp(-inner[i]));
      const std::vector<double> said = times(down_, expert, tiny_.hidden, inner);
      const double share = std::exp(scores[expert] - scores[asked[0]]) / all;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * said[i];
    }
    return out;
  }

 private:
  // The matrix `index` of n rows in a stack.
  static std::vector<double> times(const std::vector<float>& stack, int index, int n,
                                   const std::vector<double>& x) {
    std::vector<double> out(static_cast<std::size_t>(n));
    const float* weight = stack.data() + static_cast<std::size_t>(index) * out.size() * x.size();
    for (double& sum : out) {
      for (const double value : x) sum += *weight++ * value;
    }
    return out;
  }

  TinyModel tiny_;
  std::vector<float> router_, gate_, up_, down_;
};

// The first layer's block of a file.
class Block {
 public:
  Block(const GgufWriter& writer, kernels::Isa isa) : isa_(isa), bytes_(writer.bytes()) {
    const auto files = gguf_model(*GgufFile::parse("tiny.gguf", bytes_));
    shape_ = *files->shape();
    ThreadPool pool(1);
    const c10::InferenceMode inference;
    weights_ = *Weights::load(*files, shape_, pool);
    block_.emplace(shape_);
  }

  Rows run(const Rows& rows, ThreadPool& pool) {
    const c10::InferenceMode inference;
    const operators::CpuScope scope(pool, isa_);
    const auto count = static_cast<std::int64_t>(rows.size());
    const at::Tensor x = at::empty({count, shape_.hidden}, at::kFloat);
    float* values = x.mutable_data_ptr<float>();
    for (const auto& row : rows) values = std::ranges::copy(row, values).out;
    const std::size_t bytes = kernels::quantized_bytes(isa_, static_cast<int>(count), 1024);
    const at::Tensor quantized = at::empty({static_cast<std::int64_t>(bytes)}, at::kByte);
    block_->run(weights_.layers[0], x, x, quantized, x, [](PassPart) {});
    Rows out;
    const float* from = x.const_data_ptr<float>();
    for (std::size_t i = 0; i < rows.size(); ++i, from += shape_.hidden)
      out.emplace_back(from, from + shape_.hidden);
    return out;
  }

 private:
  kernels::Isa isa_;
  std::vector<std::uint8_t> bytes_;
  TransformerShape shape_;
  Weights weights_;
  std::optional<ExpertBlock> block_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class MixtureOfEachIsa : public ::testing::TestWithParam<kernels::Isa> {
 protected:
  void expect_near(const Rows& got, const ReferenceBlock& reference, const Rows& x,
                   double tolerance) {
    for (std::size_t r = 0; r < x.size(); ++r) {
      const std::vector<double> expected = reference.run(x[r]);
      double largest = 0;
      for (const double value : expected) largest = std::max(largest, std::fabs(value));
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(got[r][i], expected[i], tolerance * largest) << "row " << r;
    }
  }

  ThreadPool one_{1};
  ThreadPool three_{3};
};

INSTANTIATE_TEST_SUITE_P(, MixtureOfEachIsa, ::testing::ValuesIn(kernels::available_isas()),
                         [](const auto& isa) {
                           return std::string("isa") + std::to_string(static_cast<int>(isa.param));
                         });

// Activations of quantised weights are rounded to 8 bits, which costs about a hundredth.
TEST_P(MixtureOfEachIsa, EachRowIsTheSumOfWhatItsExpertsSay) {
  for (const bool mixed : {false, true}) {
    TinyModel tiny = tiny_mixture();
    tiny.mixed_formats = mixed;
    GgufWriter writer = tiny.writer();
    const Rows x = random_rows(40, tiny.hidden, 1);
    const Rows got = Block(writer, GetParam()).run(x, three_);
    expect_near(got, ReferenceBlock(tiny, writer), x, 0.03);
  }
}

TEST_P(MixtureOfEachIsa, ARowIsTheSameAloneAndAmongOthersInAnyOrder) {
  for (const bool mixed : {false, true}) {
    TinyModel tiny = tiny_mixture();
    tiny.mixed_formats = mixed;
    Block block(tiny.writer(), GetParam());
    Block other(tiny.writer(), GetParam());
    const Rows x = random_rows(200, tiny.hidden, 2);
    Rows alone;
    for (const auto& row : x) alone.push_back(block.run({row}, one_)[0]);
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(3);
    for (const std::size_t count : {1, 2, 3, 8, 9, 16, 64, 65, 200}) {
      for (ThreadPool* pool : {&one_, &three_}) {
        std::ranges::shuffle(order, random);
        Rows pass;
        for (std::size_t i = 0; i < count; ++i) pass.push_back(x[order[i]]);
        const Rows together = (pool == &one_ ? block : other).run(pass, *pool);
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_TRUE(same_bits(together[i], alone[order[i]])) << "row " << i << " of " << count;
      }
    }
    EXPECT_FALSE(same_bits(alone[0], alone[1])) << "the comparison can fail";
  }
}

// A router of zeros gives all experts the same score: the first ones are asked, by every row, and
// what the others would say is of no matter.
TEST_P(MixtureOfEachIsa, TiesGoToTheLowerExperts) {
  const TinyModel tiny = tiny_mixture();
  GgufWriter writer = tiny.writer();
  set_router(writer, 0, std::vector<float>(static_cast<std::size_t>(12 * tiny.hidden), 0.0F));
  const Rows x = random_rows(64, tiny.hidden, 4);
  const ReferenceBlock reference(tiny, writer);
  EXPECT_EQ(reference.chosen(x[0]), (std::vector<int>{0, 1, 2, 3}));
  Block block(writer, GetParam());
  const Rows got = block.run(x, three_);
  expect_near(got, reference, x, 0.03);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_TRUE(same_bits(block.run({x[i]}, one_)[0], got[i])) << i;
  const auto with_changed = [&](int expert) {
    GgufWriter changed = writer;
    std::vector<std::uint8_t>& data = tensor(changed, "blk.0.ffn_down_exps.weight").data;
    const std::size_t size = data.size() / 12;
    data[static_cast<std::size_t>(expert) * size + 5] ^= 0x40;  // a code, no scale
    return Block(changed, GetParam()).run(x, one_);
  };
  EXPECT_EQ(with_changed(4), got);
  EXPECT_EQ(with_changed(11), got);
  EXPECT_NE(with_changed(3), got);
  EXPECT_NE(with_changed(0), got);
}

// Half of the rows ask the first of two groups of equal experts, the others the second.
TEST_P(MixtureOfEachIsa, TiesAmongSomeGoToTheLowerExpert) {
  TinyModel tiny = tiny_mixture();
  tiny.experts_used = 2;
  GgufWriter writer = tiny.writer();
  std::vector<float> router(static_cast<std::size_t>(12 * tiny.hidden), 0.0F);
  for (std::size_t expert = 0; expert < 12; ++expert)
    router[expert * static_cast<std::size_t>(tiny.hidden)] = expert % 2 == 0 ? 1.0F : -1.0F;
  set_router(writer, 0, router);
  const Rows x = random_rows(30, tiny.hidden, 5);
  const ReferenceBlock reference(tiny, writer);
  for (const auto& row : x) {
    EXPECT_EQ(reference.chosen(row),
              row[0] > 0 ? (std::vector<int>{0, 2}) : (std::vector<int>{1, 3}));
  }
  expect_near(Block(writer, GetParam()).run(x, three_), reference, x, 0.03);
}

TEST_P(MixtureOfEachIsa, ANaNRowDoesNotAffectOthers) {
  const TinyModel tiny = tiny_mixture();
  Block block(tiny.writer(), GetParam());
  Rows x = random_rows(9, tiny.hidden, 6);
  const Rows expected = block.run(x, one_);
  x[4].assign(x[4].size(), std::numeric_limits<float>::quiet_NaN());
  x[7].assign(x[7].size(), std::numeric_limits<float>::infinity());
  const Rows got = block.run(x, three_);
  for (const std::size_t row : {0, 1, 2, 3, 5, 6, 8})
    EXPECT_TRUE(same_bits(got[row], expected[row])) << row;
  for (const float value : got[4]) EXPECT_TRUE(std::isnan(value));
}

TEST(ExpertGroups, AreTheRowsOfEachExpertInTheirOrder) {
  ExpertGroups groups;
  const std::int32_t chosen[] = {5, 2, 2, 0, 5, 7};  // of three rows
  std::int32_t sources[6], places[6];
  groups.sort(chosen, 3, 2, 9, sources, places);
  EXPECT_EQ(groups.experts, (std::vector<int>{0, 2, 5, 7}));
  EXPECT_EQ(groups.rows, (operators::RowGroups{1, 2, 2, 1}));
  EXPECT_EQ(std::vector<std::int32_t>(sources, sources + 6),
            (std::vector<std::int32_t>{1, 0, 1, 0, 2, 2}));
  EXPECT_EQ(std::vector<std::int32_t>(places, places + 6),
            (std::vector<std::int32_t>{3, 1, 2, 0, 4, 5}));
  const std::int32_t same[] = {3, 3, 3};
  groups.sort(same, 3, 1, 9, sources, places);
  EXPECT_EQ(groups.experts, std::vector<int>{3});
  EXPECT_EQ(groups.rows, operators::RowGroups{3});
}

class MixtureModel : public ::testing::Test {
 protected:
  Result<std::unique_ptr<LanguageModel>> try_load(const GgufWriter& writer,
                                                  const LoadControl& control = {}) {
    files_.push_back(writer.bytes());
    return load_transformer(gguf_model(*GgufFile::parse("tiny.gguf", files_.back())),
                            kernels::best_isa(), pool_, control);
  }
  std::unique_ptr<LanguageModel> load(const GgufWriter& writer) {
    auto model = try_load(writer);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }

  ThreadPool pool_{2};
  std::vector<std::vector<std::uint8_t>> files_;
};

// With a tie everywhere, so that all rows share their experts.
TEST_F(MixtureModel, KeepsTheRowsPromisesWhereAllRowsAskTheSameExperts) {
  const TinyModel tiny = tiny_mixture();
  GgufWriter writer = tiny.writer();
  for (int layer = 0; layer < tiny.layers; ++layer)
    set_router(writer, layer, std::vector<float>(static_cast<std::size_t>(12 * tiny.hidden), 0.0F));
  const auto model = load(writer);
  check_chunking(*model, *load(writer), 70);
  check_trees(*model, 20, 16);
}

TEST_F(MixtureModel, LeavesOutAWholeBlock) {
  TinyModel tiny = tiny_mixture();
  const auto model = load(tiny.writer());
  tiny.zeros = {"blk.0.ffn_down_exps.weight"};
  const auto without = load(tiny.writer());
  const auto drafted = [](LanguageModel& of, const char* skipped) {
    const std::unique_ptr<KvCache> cache = of.new_cache(8);
    const std::vector<TokenId> tokens = {5, 1, 7};
    return of.layer_skipping()->draft_step(tokens, *parse_skipped_layers(skipped, 2), *cache);
  };
  const DraftedToken expected = drafted(*without, "a1");
  const DraftedToken skipped = drafted(*model, "a1+m0");
  EXPECT_EQ(skipped.token, expected.token);
  EXPECT_EQ(skipped.probability, expected.probability);
  EXPECT_NE(skipped.probability, drafted(*model, "a1").probability);
}

TEST(ExpectedExperts, AreAllOnceThereAreManyRows) {
  EXPECT_DOUBLE_EQ(expected_experts(128, 8, 1), 8);
  EXPECT_DOUBLE_EQ(expected_experts(128, 8, 2), 128 * (1 - (120.0 / 128) * (120.0 / 128)));
  EXPECT_NEAR(expected_experts(128, 8, 16), 82.4, 0.1);
  EXPECT_NEAR(expected_experts(128, 8, 1000), 128, 1e-6);
  EXPECT_DOUBLE_EQ(expected_experts(5, 5, 3), 5);
  EXPECT_DOUBLE_EQ(expected_experts(1, 1, 1), 1);
}

double over_all_widths(const PerCodeWidth& macs) {
  return std::accumulate(macs.begin(), macs.end(), 0.0);
}

TEST_F(MixtureModel, KnowsTheWorkOfAPass) {
  const TinyModel tiny = tiny_mixture();
  const auto model = load(tiny.writer());
  const double expert = 3.0 * tiny.hidden * tiny.feed_forward;
  const double attention = 3.0 * tiny.hidden * tiny.hidden;
  const double dense = tiny.layers * attention + 1.0 * tiny.vocabulary * tiny.hidden;
  const double router = 1.0 * tiny.layers * tiny.experts * tiny.hidden;
  for (const int rows : {1, 2, 9}) {
    const PassWork work = model->measuring()->work(rows, 0);
    EXPECT_NEAR(over_all_widths(work.integer_macs), rows * (dense + tiny.layers * 4 * expert), 1);
    const double attended = 2.0 * tiny.layers * tiny.hidden * rows * (rows + 1) / 2;
    EXPECT_NEAR(work.float_macs, rows * router + attended, 1);
    const double read =
        dense + tiny.layers * 12 * (1 - std::pow(8.0 / 12, rows)) * expert + 4 * router;
    EXPECT_GE(work.bytes, read);  // one byte per code, and scales
    EXPECT_LE(work.bytes, 1.2 * read);
  }
  const double share = model->layer_skipping()->drafting_share(*parse_skipped_layers("m0-1", 2));
  EXPECT_NEAR(share, dense / (dense + tiny.layers * 4 * expert), 0.05);
}

TEST_F(MixtureModel, OnDiskForWantOfMemoryItIsTheSame) {
  const GgufWriter writer = tiny_mixture().writer();
  const std::unique_ptr<LanguageModel> in_memory = load(writer);
  const FolderOnDisk folder;
  std::string notice;
  LoadControl control;
  control.notice = [&](const std::string& text) { notice = text; };
  bool is_on_disk = false;
  control.overflow = {
      .folder = folder.path() / "weights", .free_memory = 1000, .is_used = &is_on_disk};
  const auto on_disk = try_load(writer, control);
  if (!on_disk && on_disk.error().message().ends_with("not on a disk"))
    GTEST_SKIP() << "temporary files are in memory";
  ASSERT_TRUE(on_disk) << on_disk.error().message();
  EXPECT_THAT(notice, testing::HasSubstr("kept in a file without a name in " +
                                         (folder.path() / "weights").string()));
  EXPECT_TRUE(is_on_disk);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "weights"));
  const std::vector<TokenId> tokens = random_tokens(*in_memory, 40, 9);
  EXPECT_TRUE(verify_all(**on_disk, tokens, 7) == verify_all(*in_memory, tokens, 40));

  notice.clear();
  control.overflow->free_memory = std::uint64_t{1} << 30;
  EXPECT_TRUE(try_load(writer, control));
  EXPECT_EQ(notice, "") << "there is room";
  control.overflow = {.folder = "/proc/nowhere", .free_memory = 1000};
  const auto nowhere = try_load(writer, control);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message(), testing::HasSubstr("and cannot be kept on disk: "));
}

TEST_F(MixtureModel, AnExpertWithANumberThatIsNotFiniteIsNamed) {
  GgufWriter writer = tiny_mixture().writer();
  std::vector<std::uint8_t>& data = tensor(writer, "blk.1.ffn_up_exps.weight").data;
  const std::size_t at = data.size() / 12 * 7 + 34;  // the scale of a block of Q8_0
  data[at] = 0x00;
  data[at + 1] = 0x7c;
  const auto model = try_load(writer);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(),
            "tiny.gguf: tensor 'blk.1.ffn_up_exps.weight': expert 7: holds a weight or a scale "
            "that is no finite number");
}

}  // namespace
}  // namespace redraft
