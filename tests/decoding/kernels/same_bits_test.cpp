// Which instruction sets have the same bits, by definitions in plain C++ with fused multiply-adds:
// quantised linear layers of all but the portable ones; everything of AVX2, AVX-VNNI and NEON. No
// machine has two of them from different processors to compare.
#include <gtest/gtest.h>

#include <cmath>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/attention_template.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/plain_lanes.h"
#include "decoding/kernels/weight_block.h"
#include "tests/decoding/kernels/each_isa.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

// An instruction set with fused multiply-adds.
class SameBits : public EachIsa {
 protected:
  void SetUp() override {
    EachIsa::SetUp();
    if (GetParam() == Isa::kPortable) GTEST_SKIP() << "its multiply-adds round twice";
  }
};
INSTANTIATE_TEST_SUITE_P(, SameBits, all_isas(), name_of_isa);

// A code as the number that multiplies the scale.
int value_of(WeightFormat format, std::uint8_t code) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return code - 8;
    case WeightFormat::kQ5_0:
      return code - 16;
    case WeightFormat::kQ6_K:
      return code - 32;
    case WeightFormat::kQ8_0:
      return static_cast<std::int8_t>(code);
    case WeightFormat::kQ3_K:
      return code - 4;
    case WeightFormat::kIQ4_NL:
    case WeightFormat::kIQ4_XS:
    case WeightFormat::kMXFP4:
      return code_table(format).values[code];
    default:
      return code;
  }
}

int scale_of(WeightFormat format, const WeightBlock& weights, int i) {
  const std::uint8_t scale = weights.scales[i / run_size(format)];
  return has_minimum(format) ? scale : static_cast<std::int8_t>(scale);
}

// A superblock's minima of 16 weights times the activations, but for their own scale.
float minima_of_runs(const WeightBlock& weights, const ActivationSuperblock& x) {
  float sum = 0;
  for (int pair = 0; pair < kSuperblock; pair += 2 * kBlock) {
    int dot = 0;
    for (int i = pair; i < pair + 2 * kBlock; ++i) dot += weights.mins[i / 16] * x.quants[i];
    sum = std::fma(static_cast<float>(dot), x.scales[pair / kBlock], sum);
  }
  return sum;
}

float add_k_superblock(WeightFormat format, const WeightBlock& weights,
                       const ActivationSuperblock& x, float sum) {
  float part = 0;
  for (int pair = 0; pair < kSuperblock; pair += 2 * kBlock) {
    int dot = 0;
    for (int i = pair; i < pair + 2 * kBlock; ++i)
      dot += scale_of(format, weights, i) * value_of(format, weights.codes[i]) * x.quants[i];
    part = std::fma(static_cast<float>(dot), x.scales[pair / kBlock], part);
  }
  sum = std::fma(half_to_float(weights.d), part, sum);
  if (!has_minimum(format)) return sum;
  if (format == WeightFormat::kQ2_K)
    return std::fma(-half_to_float(weights.m), minima_of_runs(weights, x), sum);
  int minima = 0;
  for (int i = 0; i < kSuperblockBlocks; ++i) minima += weights.mins[i] * x.coarse_sums[i];
  return std::fma(-(half_to_float(weights.m) * x.coarse_scale), static_cast<float>(minima), sum);
}

float add_block(WeightFormat format, const WeightBlock& weights, const ActivationSuperblock& x,
                int block, float sum) {
  int dot = 0;
  for (int i = 0; i < kBlock; ++i)
    dot += value_of(format, weights.codes[i]) * x.quants[block * kBlock + i];
  const float d = format == WeightFormat::kMXFP4
                      ? exponent_to_float(static_cast<std::uint8_t>(weights.d))
                      : half_to_float(weights.d);
  sum = std::fma(static_cast<float>(dot) * d, x.scales[block], sum);
  return has_minimum(format) ? std::fma(half_to_float(weights.m), x.scaled_sums[block], sum) : sum;
}

// The dot product of one row, its superblocks, and one output, `file`.
float defined_dot(WeightFormat format, const std::uint8_t* file, const ActivationSuperblock* x,
                  int k) {
  const WeightFormatInfo& info = *weight_format_info(format);
  float sum = 0;
  for (int i = 0; i < k; i += info.block_size, file += info.block_bytes) {
    WeightBlock weights;
    read_block(format, file, weights);
    const ActivationSuperblock& super = x[i / kSuperblock];
    sum = is_k_format(format) ? add_k_superblock(format, weights, super, sum)
                              : add_block(format, weights, super, i % kSuperblock / kBlock, sum);
  }
  return sum + 0.0F;  // no bias
}

// Random codes with the smallest, the largest and no scales: what products may lose or exceed.
std::vector<std::uint8_t> edge_file(WeightFormat format, int n, int k, std::mt19937& random) {
  constexpr std::uint16_t kHalves[] = {0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff};
  constexpr std::uint8_t kExponents[] = {0, 1, 2, 3, 100, 127, 200, 230};
  std::vector<std::uint8_t> file = random_file(format, n, k, random);
  const auto block = static_cast<std::size_t>(weight_format_info(format)->block_bytes);
  for (std::size_t at = 0; at < file.size(); at += block) {
    if (format == WeightFormat::kMXFP4) file[at] = kExponents[random() % 8];
    for (const std::size_t place : half_places(format))
      std::memcpy(&file[at + place], &kHalves[random() % 8], sizeof(kHalves[0]));
  }
  return file;
}

using MakeFile = std::vector<std::uint8_t> (*)(WeightFormat, int n, int k, std::mt19937&);
void check_linear(WeightFormat format, Isa isa, int n, int k, std::uint32_t seed,
                  MakeFile make_file = random_file) {
  std::mt19937 random(seed);
  const std::vector<std::uint8_t> file = make_file(format, n, k, random);
  const TestWeight weight = make_weight(format, isa, n, k, file);
  constexpr int kMaxRows = 19;
  const std::vector<float> x = random_floats(std::size_t{kMaxRows} * k, random);
  ThreadPool pool(1);
  std::vector<float> expected;
  for (int row = 0; row < kMaxRows; ++row) {
    const float* const values = x.data() + static_cast<std::size_t>(row) * k;
    const PreparedRows alone =
        kernels::prepare({format, Isa::kPortable, n, k, nullptr}, values, 1, pool);
    const auto* superblocks = reinterpret_cast<const ActivationSuperblock*>(alone.blocks.get());
    for (int j = 0; j < n; ++j)
      expected.push_back(
          defined_dot(format, file.data() + weight_bytes(format, j, k), superblocks, k));
  }
  for (const int rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, kMaxRows}) {
    const std::vector<float> got = run_linear(weight.packed, x.data(), rows, pool);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
        << name_of(format, isa) << " " << n << "x" << k << ", rows " << rows;
  }
}

TEST_P(SameBits, LinearLayers) {
  for (const WeightFormat format : kAllFormats) {
    if (reads_floats(format)) continue;
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      check_linear(format, GetParam(), 37, 512, seed);
      check_linear(format, GetParam(), 16, 256, seed);
      if (!is_k_format(format)) check_linear(format, GetParam(), 18, 416, seed);
    }
  }
}

TEST_P(SameBits, LinearLayersWithScalesAtTheEdges) {
  for (const WeightFormat format : kAllFormats) {
    if (reads_floats(format)) continue;
    for (const std::uint32_t seed : {1U, 2U, 3U})
      check_linear(format, GetParam(), 16, 512, seed, edge_file);
  }
}

TEST_P(SameBits, LinearLayersOfFloats) {
  if (has_avx512(GetParam())) GTEST_SKIP() << "it has two sums for each output";
  std::mt19937 random(4);
  for (const WeightFormat format : kFloatFormats) {
    const int n = 21, k = 103, rows = 7;
    const TestWeight weight =
        make_weight(format, GetParam(), n, k, random_file(format, n, k, random));
    const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * k, random);
    std::vector<float> expected;
    for (int i = 0; i < rows * n; ++i) {
      float sum = 0;
      for (int at = 0; at < k; ++at)
        sum = std::fma(weight.values[i % n * k + at], x[i / n * k + at], sum);
      expected.push_back(sum + 0.0F);
    }
    ThreadPool pool(1);
    EXPECT_EQ(run_linear(weight.packed, x.data(), rows, pool), expected)
        << name_of(format, GetParam());
  }
}

const OperatorKernels& eight_lanes() {
  static constexpr OperatorKernels kOperators = operators_of<PlainLanes<true>>();
  return kOperators;
}

TEST_P(SameBits, OperatorsOfEightLanes) {
  if (has_avx512(GetParam())) GTEST_SKIP() << "it has 16 lanes";
  const OperatorKernels& defined = eight_lanes();
  const OperatorKernels& tested = operator_kernels(GetParam());
  std::mt19937 random(5);
  for (const int n : {1, 13, 48, 100, 256}) {
    const std::vector<float> x = random_floats(static_cast<std::size_t>(n), random);
    const std::vector<float> y = random_floats(x.size(), random);
    EXPECT_EQ(defined.sum_squares(x.data(), n), tested.sum_squares(x.data(), n)) << n;
    std::vector<float> expected = x;
    std::vector<float> got = x;
    const auto expect_same = [&](const char* name) {
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
          << name << " " << n;
    };
    defined.scale_by(x.data(), y.data(), 0.3F, n, expected.data());
    tested.scale_by(x.data(), y.data(), 0.3F, n, got.data());
    expect_same("scale_by");
    defined.silu_mul(x.data(), y.data(), n, expected.data());
    tested.silu_mul(x.data(), y.data(), n, got.data());
    expect_same("silu_mul");
    defined.gelu_mul(x.data(), y.data(), n, expected.data());
    tested.gelu_mul(x.data(), y.data(), n, got.data());
    expect_same("gelu_mul");
    defined.clamped_silu_mul(x.data(), y.data(), n, expected.data());
    tested.clamped_silu_mul(x.data(), y.data(), n, got.data());
    expect_same("clamped_silu_mul");
    defined.add(expected.data(), y.data(), n);
    tested.add(got.data(), y.data(), n);
    expect_same("add");
    defined.add_scaled(expected.data(), y.data(), 0.7F, n);
    tested.add_scaled(got.data(), y.data(), 0.7F, n);
    expect_same("add_scaled");
    defined.exp_below(x.data(), 0.9F, n, expected.data());
    tested.exp_below(x.data(), 0.9F, n, got.data());
    expect_same("exp_below");
  }
}

// Three rows of a chain, which see up to `length` positions and one and two more, in two spans and
// more, and a sink.
struct AttentionCase {
  static constexpr int kHeads = 3, kRows = 3;
  int head_dim;
  int length;
  std::vector<float> queries;
  std::vector<float> slots[2];  // keys and values

  AttentionCase(int dim, int first_length, std::mt19937& random)
      : head_dim(dim), length(first_length) {
    queries = random_floats(static_cast<std::size_t>(kRows * kHeads * dim), random);
    for (std::vector<float>& one : slots)
      one = random_floats(static_cast<std::size_t>((length + kRows) * dim), random);
  }

  std::vector<float> run(const OperatorKernels& kernels) const {
    std::vector<std::int16_t> fixed[2];
    for (int i = 0; i < 2; ++i) {
      for (std::size_t at = 0; at < slots[i].size(); at += static_cast<std::size_t>(head_dim)) {
        fixed[i].resize(fixed[i].size() + static_cast<std::size_t>(head_dim + kScaleInts));
        kernels.to_fixed(&slots[i][at], head_dim,
                         fixed[i].data() + fixed[i].size() - head_dim - kScaleInts);
      }
    }
    const std::int32_t lengths[kRows] = {length, length + 1, length + 2};
    const int start = std::min(length / 2, 200);  // in the first span
    const std::int32_t starts[kRows] = {0, start, start + 1};
    const float sink = 0.5F;
    const AttentionInput in{.heads = kHeads,
                            .kv_heads = 1,
                            .head_dim = head_dim,
                            .regular = length + kRows,
                            .scale = 0.2F,
                            .q = queries.data(),
                            .keys = fixed[0].data(),
                            .values = fixed[1].data(),
                            .head_pitch = 0,
                            .slots = length + kRows,
                            .starts = starts,
                            .lengths = lengths,
                            .straight = lengths,
                            .tails = nullptr,
                            .tail_begin = nullptr};
    const AttentionTile tile{0, kRows, 0, kHeads};
    const std::size_t stride = static_cast<std::size_t>(head_dim + kPartialExtra);
    std::vector<float> states(kRows * kHeads * stride);
    std::vector<float> partials(states.size());
    const AlignedBytes scratch = aligned_bytes(kernels.attention_scratch(head_dim));
    kernels.take_queries(in, tile, scratch.get());
    kernels.attend(in, tile, 0, scratch.get(), states.data());
    for (int span = 1; span * kSpan < length; ++span) {
      kernels.attend(in, tile, span, scratch.get(), partials.data());
      for (std::size_t at = 0; at < states.size(); at += stride)
        kernels.merge(&states[at], &partials[at], head_dim);
    }
    std::vector<float> out;
    for (std::size_t at = 0; at < states.size(); at += stride) {
      out.resize(out.size() + static_cast<std::size_t>(head_dim));
      kernels.finish(&states[at], head_dim, &sink, out.data() + out.size() - head_dim);
    }
    return out;
  }
};

TEST_P(SameBits, AttentionOfEightLanes) {
  if (has_avx512(GetParam())) GTEST_SKIP() << "it has 16 lanes";
  std::mt19937 random(6);
  for (const int head_dim : {16, 48, 128}) {
    for (const int length : {1, 30, 200, 600}) {
      const AttentionCase attention(head_dim, length, random);
      EXPECT_EQ(attention.run(operator_kernels(GetParam())), attention.run(eight_lanes()))
          << head_dim << ", " << length;
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
