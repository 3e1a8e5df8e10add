#include "decoding/kernels/linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/packed_layout.h"
#include "tests/decoding/kernels/each_isa.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

// The numbers of rows that may share a pass: each up to 64, which covers every mixture of whole and
// partial groups, and some around the powers of two above.
std::vector<int> gate_rows() {
  std::vector<int> rows(64);
  for (int i = 0; i < 64; ++i) rows[static_cast<std::size_t>(i)] = i + 1;
  rows.insert(rows.end(), {65, 127, 128, 200});
  return rows;
}

// The first number of rows with which `run(rows)`, which returns [rows, width] floats, gives some
// row other bits than `alone`, [200, width]; 0 if there is none.
template <typename Run>
int first_difference(const std::vector<float>& alone, int width, const Run& run) {
  for (const int rows : gate_rows()) {
    const std::vector<float> together = run(rows);
    const std::size_t bytes = static_cast<std::size_t>(rows) * width * sizeof(float);
    if (std::memcmp(together.data(), alone.data(), bytes) != 0) return rows;
  }
  return 0;
}

// Shapes of models and odd ones: outputs that leave tiles partly empty, k that ends within a
// superblock, and k so large that 200 rows read the weights more than once.
struct GateShape {
  int n, k;
};
std::vector<GateShape> gate_shapes(WeightFormat format) {
  if (is_k_format(format)) return {{33, 512}, {1, 256}, {3, 8960}};
  return {{33, 576}, {1, 32}, {3, 4864}};
}

void check_row_invariance(WeightFormat format, Isa isa, int n, int k, std::uint32_t seed) {
  std::mt19937 random(seed);
  const TestWeight weight = make_weight(format, isa, n, k, random_file(format, n, k, random));
  const std::vector<float> x = random_floats(static_cast<std::size_t>(200) * k, random);
  ThreadPool one(1);
  ThreadPool two(2);
  std::vector<float> alone;
  for (int row = 0; row < 200; ++row) {
    const std::vector<float> y =
        run_linear(weight.packed, x.data() + static_cast<std::size_t>(row) * k, 1, one);
    alone.insert(alone.end(), y.begin(), y.end());
  }
  for (ThreadPool* pool : {&one, &two}) {
    const int rows = first_difference(
        alone, n, [&](int count) { return run_linear(weight.packed, x.data(), count, *pool); });
    EXPECT_EQ(rows, 0) << name_of(format, isa) << " " << n << "x" << k << ", seed " << seed
                       << ", rows " << rows << ", threads " << pool->threads();
  }
}

using LinearOfEachIsa = EachIsa;
INSTANTIATE_TEST_SUITE_P(, LinearOfEachIsa, all_isas(), name_of_isa);

TEST_P(LinearOfEachIsa, ARowHasTheSameBitsInAnyCompany) {
  const Isa isa = GetParam();
  for (const WeightFormat format : kAllFormats) {
    if (reads_floats(format)) continue;  // linear_float_test
    for (const auto& [n, k] : gate_shapes(format)) {
      for (const std::uint32_t seed : {1U, 2U, 3U}) check_row_invariance(format, isa, n, k, seed);
    }
  }
}

// Negative controls: what kernels do that are not row-invariant, which the gate must see. One
// splits a sum by the number of rows, as kernels do that divide k among threads; one uses another
// order for whole groups of eight rows.
TEST(Linear, TheGateCatchesKernelsThatDependOnTheRows) {
  constexpr int kK = 512;
  std::mt19937 random(5);
  const std::vector<float> weights = random_floats(kK, random);
  const std::vector<float> x = random_floats(std::size_t{200} * kK, random);
  const auto dot = [&](int row, int first, int step) {
    float sum = 0;
    for (int i = first; i >= 0 && i < kK; i += step) sum += weights[i] * x[row * kK + i];
    return sum;
  };
  const auto split_by_rows = [&](int rows) {
    std::vector<float> y;
    for (int row = 0; row < rows; ++row) {
      float sum = 0;
      for (int part = 0; part < std::min(rows, 4); ++part) sum += dot(row, part, std::min(rows, 4));
      y.push_back(sum);
    }
    return y;
  };
  const auto backwards_in_groups = [&](int rows) {
    std::vector<float> y;
    for (int row = 0; row < rows; ++row)
      y.push_back(row / 8 < rows / 8 ? dot(row, kK - 1, -1) : dot(row, 0, 1));
    return y;
  };
  std::vector<float> forwards;
  for (int row = 0; row < 200; ++row) forwards.push_back(dot(row, 0, 1));
  EXPECT_EQ(first_difference(forwards, 1, split_by_rows), 2);
  EXPECT_EQ(first_difference(forwards, 1, backwards_in_groups), 8);
  EXPECT_EQ(first_difference(forwards, 1,
                             [&](int rows) {
                               return std::vector<float>(forwards.begin(), forwards.begin() + rows);
                             }),
            0);
}

TEST(Linear, ThreadsDoNotChangeBits) {
  std::mt19937 random(8);
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kAllFormats) {
      const TestWeight weight =
          make_weight(format, isa, 75, 512, random_file(format, 75, 512, random));
      const std::vector<float> x = random_floats(13 * 512, random);
      ThreadPool one(1);
      const std::vector<float> expected = run_linear(weight.packed, x.data(), 13, one);
      for (const int threads : {2, 3, 5}) {
        ThreadPool pool(threads);
        const std::vector<float> got = run_linear(weight.packed, x.data(), 13, pool);
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
            << name_of(format, isa);
      }
    }
  }
}

TEST(Linear, TogetherEachIsAsAlone) {
  for (const Isa isa : available_isas()) {
    for (const int threads : {1, 2, 3, 5}) {
      ThreadPool pool(threads);
      for (const int rows : {1, 13, 40})
        EXPECT_TRUE(linears_are_as_alone(isa, rows, pool)) << to_string(isa) << ", rows " << rows;
    }
  }
}

// Superblock `idx` of `row` in the layout of quantize_rows.
const ActivationSuperblock& superblock_of(const std::uint8_t* quantized, int rows, int k, int row,
                                          int idx) {
  const auto* superblocks = reinterpret_cast<const ActivationSuperblock*>(quantized);
  const int group = row / kRowGroup;
  return superblocks[group_offset(group, k) +
                     static_cast<std::size_t>(idx) * rows_in_group(rows, group) + row % kRowGroup];
}

// The value of activation i of a row after rounding.
double value_of(const std::uint8_t* quantized, int rows, int k, int row, int i) {
  const ActivationSuperblock& x = superblock_of(quantized, rows, k, row, i / kSuperblock);
  return static_cast<double>(x.quants[i % kSuperblock]) * x.scales[i % kSuperblock / kBlock];
}

// The largest minimum that a block of a K format in the file can have, by its halves m.
double largest_minimum(WeightFormat format, const std::vector<std::uint8_t>& file) {
  if (format != WeightFormat::kQ4_K && format != WeightFormat::kQ5_K) return 0;
  double largest = 0;
  for (std::size_t at = 2; at < file.size(); at += weight_format_info(format)->block_bytes) {
    std::uint16_t half;
    std::memcpy(&half, &file[at], sizeof(half));
    largest = std::max(largest, 63 * std::fabs(static_cast<double>(half_to_float(half))));
  }
  return largest;
}

// Compared with the dequantised weights and the quantised activations, in double precision: only
// the kernel's own rounding errors remain. Per block at most 8 float operations round, each by
// 2^-24 of the magnitudes summed so far. A minimum is multiplied by a sum of activations with an
// error of at most half a step of 2^-15 of the largest.
void check_against_reference(WeightFormat format, Isa isa, int n, int k, int rows,
                             std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<std::uint8_t> file = random_file(format, n, k, random);
  const double minimum = largest_minimum(format, file);
  const TestWeight weight = make_weight(format, isa, n, k, file);
  const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * k, random);
  const std::vector<float> bias = random_floats(static_cast<std::size_t>(n), random);
  ThreadPool pool(2);
  const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, rows, k));
  quantize_rows(isa, x.data(), rows, k, quantized.get(), pool);
  const int ldy = n + 3;
  std::vector<float> y(static_cast<std::size_t>(rows) * ldy, 77.0f);
  linear(weight.packed, quantized.get(), rows, bias.data(), y.data(), ldy, pool);
  for (int row = 0; row < rows; ++row) {
    for (int j = 0; j < n; ++j) {
      double sum = bias[j];
      double magnitude = std::fabs(bias[j]);
      for (int i = 0; i < k; ++i) {
        const double term = weight.values[static_cast<std::size_t>(j) * k + i] *
                            value_of(quantized.get(), rows, k, row, i);
        sum += term;
        magnitude += std::fabs(term);
      }
      // Formats with a constant per block subtract sums whose magnitudes the terms above no longer
      // show.
      double tolerance = (8.0 * (k / 32.0) + 40) * 0x1p-24 * magnitude * 4;
      for (int i = 0; i < superblock_count(k); ++i) {
        const ActivationSuperblock& super = superblock_of(quantized.get(), rows, k, row, i);
        tolerance += kSuperblockBlocks * minimum * 0.51 * super.coarse_scale;
      }
      ASSERT_NEAR(y[static_cast<std::size_t>(row) * ldy + j], sum, tolerance)
          << name_of(format, isa) << " " << row << "," << j;
    }
    for (int j = n; j < ldy; ++j)
      ASSERT_EQ(y[static_cast<std::size_t>(row) * ldy + j], 77.0f) << "wrote past the row";
  }
}

TEST(Linear, EqualsTheDequantisedReference) {
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kAllFormats) {
      if (reads_floats(format)) continue;  // linear_float_test
      check_against_reference(format, isa, 37, 512, 11, 21);
      check_against_reference(format, isa, 16, 256, 8, 22);
      check_against_reference(format, isa, 3, 1536, 3, 23);
    }
    check_against_reference(WeightFormat::kQ5_0, isa, 20, 896, 9, 24);
  }
}

// All codes at their extremes: integer operations that saturate show here.
TEST(Linear, ExtremeCodesDoNotSaturate) {
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kAllFormats) {
      if (reads_floats(format)) continue;
      for (const int fill : {0x00, 0xff, 0x80, 0x7f}) {
        const int n = 16;
        const int k = 512;
        std::vector<std::uint8_t> file(weight_bytes(format, n, k), static_cast<std::uint8_t>(fill));
        set_scales(format, 0.5f, file);
        const TestWeight weight = make_weight(format, isa, n, k, file);
        for (const float sign : {1.0f, -1.0f}) {
          const std::vector<float> x(k, sign);
          ThreadPool pool(1);
          const std::vector<float> y = run_linear(weight.packed, x.data(), 1, pool);
          double expected = 0;
          for (int i = 0; i < k; ++i) expected += sign * weight.values[static_cast<std::size_t>(i)];
          EXPECT_NEAR(y[0], expected, std::fabs(expected) * 1e-4 + 1e-2)
              << name_of(format, isa) << " fill " << fill;
        }
      }
    }
  }
}

// Offset i of a superblock, of which the 256-bit kernels keep two parts of 16 bits.
struct Offset {
  Offset(const ActivationSuperblock& x, int i, Isa isa) : whole(x.offsets[i]) {
    if (!has_avx2_only(isa)) return;
    std::memcpy(parts, &x.offsets[i], sizeof(parts));
    whole = parts[0] + parts[1];
  }
  std::int16_t parts[2] = {};
  std::int32_t whole;
};

// Sums and scales of one superblock match its quants.
void check_superblock(const ActivationSuperblock& x, bool shared_scales, Isa isa) {
  for (int block = 0; block < kSuperblockBlocks; ++block) {
    int sums[2] = {0, 0};
    for (int i = 0; i < kBlock; ++i) sums[i / 16] += x.quants[block * kBlock + i];
    for (int i = 0; i < 2; ++i) {
      const Offset offset(x, 2 * block + i, isa);
      ASSERT_EQ(offset.whole, -32 * sums[i]);
      ASSERT_EQ(x.sums[2 * block + i], sums[i]);
      if (!has_avx2_only(isa)) continue;
      int even = 0;
      for (int j = 0; j < 16; ++j) even += j % 4 < 2 ? x.quants[block * kBlock + 16 * i + j] : 0;
      ASSERT_EQ(offset.parts[0], -32 * even);
    }
    ASSERT_EQ(x.scaled_sums[block], x.scales[block] * static_cast<float>(sums[0] + sums[1]));
    ASSERT_NEAR(x.coarse_sums[block] * x.coarse_scale, x.scaled_sums[block],
                x.coarse_scale * 0.51f);
    if (shared_scales) {
      ASSERT_EQ(x.scales[block], x.scales[block ^ 1]);
    }
  }
}

TEST(QuantizeRows, ErrsByHalfAStepAtMost) {
  std::mt19937 random(31);
  for (const Isa isa : available_isas()) {
    for (const int k : {32, 100, 896, 31, 512}) {
      const int rows = 10;
      const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * k, random);
      ThreadPool pool(2);
      const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, rows, k));
      quantize_rows(isa, x.data(), rows, k, quantized.get(), pool);
      for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < superblock_count(k) * kSuperblock; ++i) {
          const ActivationSuperblock& super =
              superblock_of(quantized.get(), rows, k, row, i / kSuperblock);
          const float value = i < k ? x[static_cast<std::size_t>(row) * k + i] : 0.0f;
          ASSERT_NEAR(value_of(quantized.get(), rows, k, row, i), value,
                      super.scales[i % kSuperblock / kBlock] * 0.5001f)
              << to_string(isa);
          if (i % kSuperblock == 0) check_superblock(super, k % kSuperblock == 0, isa);
        }
      }
    }
  }
}

// Everything that kernels read of a row.
std::vector<std::uint8_t> bytes_of(const std::uint8_t* quantized, int rows, int k, Isa isa) {
  std::vector<std::uint8_t> out;
  const auto put = [&](const auto& field) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&field);
    out.insert(out.end(), bytes, bytes + sizeof(field));
  };
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < superblock_count(k); ++i) {
      const ActivationSuperblock& super = superblock_of(quantized, rows, k, row, i);
      put(super.quants), put(super.scales), put(super.coarse_sums), put(super.coarse_scale);
      for (int j = 0; j < 16; ++j) put(Offset(super, j, isa).whole);
      put(super.scaled_sums), put(super.sums);
    }
  }
  return out;
}

TEST(QuantizeRows, EveryInstructionSetGivesTheSameBlocks) {
  for (const int k : {160, 256}) {
    std::mt19937 random(32);
    std::vector<float> x = random_floats(static_cast<std::size_t>(5) * k, random);
    std::fill(x.begin(), x.begin() + 32, 0.0f);
    std::fill(x.begin() + 32, x.begin() + 64, 1e-38f);
    x[70] = std::numeric_limits<float>::infinity();
    x[100] = std::numeric_limits<float>::quiet_NaN();
    x[130] = 1e38f;
    std::fill(x.begin() + 2 * k, x.begin() + 3 * k, 3e38f);  // sums overflow
    std::fill(x.begin() + 3 * k, x.begin() + 4 * k, 1e-35f);
    ThreadPool pool(1);
    std::vector<std::uint8_t> expected;
    for (const Isa isa : available_isas()) {
      const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, 5, k));
      quantize_rows(isa, x.data(), 5, k, quantized.get(), pool);
      const std::vector<std::uint8_t> got = bytes_of(quantized.get(), 5, k, isa);
      if (expected.empty()) expected = got;
      EXPECT_EQ(got, expected) << to_string(isa) << " k " << k;
    }
  }
}

TEST(LinearArgmax, IsTheLargestLogitAndTiesGoToTheLowerIndex) {
  std::mt19937 random(41);
  for (const Isa isa : available_isas()) {
    for (const int n : {1, 15, 16, 100, 1003}) {
      std::vector<std::uint8_t> file = random_file(WeightFormat::kQ6_K, n, 256, random);
      // Twins: every weight row from n/2 on repeats an earlier one.
      const std::size_t row_bytes = weight_bytes(WeightFormat::kQ6_K, 1, 256);
      for (int j = n / 2; j < n / 2 * 2; ++j)
        std::memcpy(&file[j * row_bytes], &file[(j - n / 2) * row_bytes], row_bytes);
      const TestWeight weight = make_weight(WeightFormat::kQ6_K, isa, n, 256, file);
      const int rows = 19;
      const std::vector<float> x = random_floats(rows * 256, random);
      for (const int threads : {1, 2, 3}) {
        ThreadPool pool(threads);
        const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, rows, 256));
        quantize_rows(isa, x.data(), rows, 256, quantized.get(), pool);
        const std::vector<float> logits = run_linear(weight.packed, x.data(), rows, pool);
        std::vector<std::int32_t> best(rows);
        std::vector<float> best_logit(rows);
        linear_argmax(weight.packed, quantized.get(), rows, best.data(), best_logit.data(), pool);
        for (int row = 0; row < rows; ++row) {
          const float* from = logits.data() + static_cast<std::size_t>(row) * n;
          const auto expected = static_cast<std::int32_t>(std::max_element(from, from + n) - from);
          EXPECT_EQ(best[row], expected) << to_string(isa) << " n " << n;
          EXPECT_EQ(best_logit[row], from[expected]);
        }
        linear_argmax(weight.packed, quantized.get(), rows, best.data(), nullptr, pool);
      }
    }
  }
}

TEST(LinearArgmax, NaNNeverWins) {
  for (const Isa isa : available_isas()) {
    const int n = 40;
    const int k = 32;
    std::vector<float> values(n * k, -1.0f);
    std::fill(values.begin(), values.begin() + k, std::numeric_limits<float>::quiet_NaN());
    std::fill(values.begin() + 30 * k, values.begin() + 31 * k, -0.5f);
    std::vector<std::uint8_t> file(values.size() * 4);
    std::memcpy(file.data(), values.data(), file.size());
    const TestWeight weight = make_weight(WeightFormat::kF32, isa, n, k, file);
    const std::vector<float> x(k, 1.0f);
    ThreadPool pool(2);
    std::int32_t best = -1;
    linear_argmax(weight.packed, x.data(), 1, &best, nullptr, pool);
    EXPECT_EQ(best, 30) << to_string(isa);
    // A row of NaNs has no largest element: the first index is chosen, so that it is a valid one.
    const std::vector<float> nans(k, std::numeric_limits<float>::quiet_NaN());
    linear_argmax(weight.packed, nans.data(), 1, &best, nullptr, pool);
    EXPECT_EQ(best, 0) << to_string(isa);
  }
}

TEST(LinearTopK, IsASortOfTheLogits) {
  std::mt19937 random(51);
  for (const Isa isa : available_isas()) {
    const int n = 333;
    const int rows = 9;
    const TestWeight weight = make_weight(WeightFormat::kQ4_K, isa, n, 256,
                                          random_file(WeightFormat::kQ4_K, n, 256, random));
    const std::vector<float> x = random_floats(rows * 256, random);
    for (const int threads : {1, 2}) {
      ThreadPool pool(threads);
      const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, rows, 256));
      quantize_rows(isa, x.data(), rows, 256, quantized.get(), pool);
      const std::vector<float> logits = run_linear(weight.packed, x.data(), rows, pool);
      for (const int k_best : {1, 2, 8, 40, 333}) {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(rows) * k_best);
        std::vector<float> best(ids.size());
        linear_top_k(weight.packed, quantized.get(), rows, k_best, ids.data(), best.data(), pool);
        for (int row = 0; row < rows; ++row) {
          const float* from = logits.data() + static_cast<std::size_t>(row) * n;
          std::vector<std::int32_t> order(n);
          for (int j = 0; j < n; ++j) order[j] = j;
          std::stable_sort(order.begin(), order.end(),
                           [&](int a, int b) { return from[a] > from[b]; });
          for (int i = 0; i < k_best; ++i) {
            ASSERT_EQ(ids[row * k_best + i], order[i]) << to_string(isa) << " " << i;
            ASSERT_EQ(best[row * k_best + i], from[order[i]]);
          }
        }
      }
    }
  }
}

TEST(Linear, FormatsAndNames) {
  for (const WeightFormat format : kAllFormats) EXPECT_TRUE(supports(format));
  EXPECT_FALSE(supports(static_cast<WeightFormat>(9)));
  EXPECT_EQ(available_isas().front(), Isa::kPortable);
  EXPECT_EQ(best_isa(), available_isas().back());
  for (const WeightFormat format : kAllFormats) {  // repacking costs at most 6 %
    EXPECT_LE(packed_bytes(format, 64, 1024), weight_bytes(format, 64, 1024) * 106 / 100)
        << name_of(format, best_isa());
  }
}

}  // namespace
}  // namespace redraft::kernels
