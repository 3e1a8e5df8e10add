// What a layer does between its linear layers, as on a GPU, on the emulated device.
#include "cuda/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cuda/reference.h"
#include "tests/cuda/packed_file.h"

namespace redraft::cuda {
namespace {

std::size_t place(int index) { return static_cast<std::size_t>(index); }

// Rows that a kernel rounded, as numbers.
struct Rounded {
  Rounded(int rows, int n, bool bfloats)
      : values(place(rows * padded_width(n))),
        scales(bfloats ? 0 : place(rows)),
        width(padded_width(n)) {}
  RowsOut out() { return {values.data(), scales.empty() ? nullptr : scales.data()}; }
  double at(int row, int i) const {
    const std::uint16_t value = values[place(row * width + i)];
    if (scales.empty()) return static_cast<double>(kernels::bfloat16_to_float(value));
    return static_cast<double>(kernels::half_to_float(value)) * scales[place(row)];
  }
  // How far a value may be from the exact one.
  double bound(int row, double exact) const {
    const double step = scales.empty() ? 0x1p-8 : 0x1p-11;
    const double least = scales.empty() ? 0.0 : 0x1p-24 * scales[place(row)];
    return std::fabs(exact) * (step + 1e-5) + least + 1e-30;
  }

  std::vector<std::uint16_t> values;
  std::vector<float> scales;
  int width;
};

TEST(CudaEmbedding, IsTheFormatsDefinition) {
  std::mt19937 random(1);
  for (const WeightFormat format : kFormats) {
    const int n = 40, k = 512;
    const PackedFile table(format, n, k, random);
    const std::vector<std::int32_t> ids = {39, 0, 17, 8, 17};
    std::vector<float> out(ids.size() * place(k), -1.0F);
    embedding(table.weight(), ids.data(), static_cast<int>(ids.size()), out.data(), nullptr);
    std::vector<float> expected(place(k));
    for (std::size_t r = 0; r < ids.size(); ++r) {
      dequantize_row(format, table.file().data() + place(ids[r]) * weight_bytes(format, 1, k), k,
                     expected.data());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        // The same three numbers, multiplied and added in single precision.
        ASSERT_FLOAT_EQ(out[r * expected.size() + i], expected[i])
            << weight_format_info(format)->name;
      }
    }
  }
}

TEST(CudaNorm, IsTheReferenceAndAddsFirst) {
  std::mt19937 random(2);
  for (const int n : {32, 100, 576}) {
    for (const bool bfloats : {false, true}) {
      const int rows = 3;
      const std::vector<float> hidden = random_floats(place(rows * n), random);
      const std::vector<float> added = random_floats(place(rows * n), random);
      const std::vector<float> weight = random_floats(place(n), random);
      for (const bool adds : {false, true}) {
        std::vector<float> sum = hidden;
        Rounded rounded(rows, n, bfloats);
        add_norm({sum.data(), adds ? added.data() : nullptr, weight.data(), 1e-6F, n}, rows,
                 rounded.out(), nullptr);
        std::vector<double> expected(place(n));
        for (int r = 0; r < rows; ++r) {
          for (int i = r * n; i < (r + 1) * n; ++i) {
            const auto at = place(i);
            ASSERT_EQ(sum[at], adds ? hidden[at] + added[at] : hidden[at]);
          }
          norm_reference(&sum[place(r * n)], weight.data(), 1e-6F, n, expected.data());
          for (int i = 0; i < n; ++i) {
            const double exact = expected[place(i)];
            ASSERT_NEAR(rounded.at(r, i), exact, rounded.bound(r, exact)) << n << ' ' << bfloats;
          }
        }
      }
    }
  }
}

TEST(CudaNorm, GivesARowTheSameBitsInAnyCompany) {
  std::mt19937 random(3);
  const int n = 576, rows = 9;
  const std::vector<float> hidden = random_floats(place(rows * n), random);
  const std::vector<float> weight = random_floats(place(n), random);
  std::vector<float> all = hidden;
  Rounded together(rows, n, false);
  add_norm({all.data(), nullptr, weight.data(), 1e-6F, n}, rows, together.out(), nullptr);
  for (int r = 0; r < rows; ++r) {
    std::vector<float> own(hidden.begin() + r * n, hidden.begin() + (r + 1) * n);
    Rounded alone(1, n, false);
    add_norm({own.data(), nullptr, weight.data(), 1e-6F, n}, 1, alone.out(), nullptr);
    EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(),
                           together.values.begin() + r * together.width));
  }
}

TEST(CudaSiluMul, IsTheReference) {
  std::mt19937 random(4);
  const int rows = 2, n = 150, ld = 400;
  std::vector<float> both = random_floats(place(rows * ld), random);
  both[0] = 100.0F;
  both[1] = -100.0F;
  Rounded rounded(rows, n, false);
  silu_mul(both.data(), both.data() + 200, ld, rows, n, rounded.out(), nullptr);
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < n; ++i) {
      const double exact =
          silu_mul_reference(both[place(r * ld + i)], both[place(r * ld + 200 + i)]);
      EXPECT_NEAR(rounded.at(r, i), exact, rounded.bound(r, exact));
    }
  }
}

TEST(CudaRotateAppend, PutsHeadsWhereAttentionReadsThem) {
  std::mt19937 random(5);
  const int heads = 4, kv_heads = 2, dim = 64, rows = 3, slots = 10, all = heads + 2 * kv_heads;
  std::vector<float> qkv = random_floats(place(rows * all * dim), random);
  qkv[place((heads + kv_heads) * dim)] = 1e30F;  // a value too large for a half
  const std::vector<float> query_norm = random_floats(place(dim), random);
  const std::vector<float> key_norm = random_floats(place(dim), random);
  const std::vector<std::int32_t> positions = {5, 0, 19}, at = {7, 2, 3};
  std::vector<float> cosines, sines;
  for (int i = 0; i < 20 * dim / 2; ++i) {
    cosines.push_back(std::cos(static_cast<float>(i)));
    sines.push_back(std::sin(static_cast<float>(i)));
  }
  for (const bool normed : {false, true}) {
    std::vector<std::uint16_t> keys(place(kv_heads * slots * dim), 1), values = keys;
    std::vector<std::uint16_t> queries(place(rows * heads * dim));
    rotate_append({qkv.data(),
                   heads,
                   kv_heads,
                   dim,
                   normed ? query_norm.data() : nullptr,
                   normed ? key_norm.data() : nullptr,
                   1e-6F,
                   cosines.data(),
                   sines.data(),
                   positions.data(),
                   at.data(),
                   {keys.data(), values.data(), slots},
                   queries.data()},
                  rows, nullptr);
    std::vector<double> expected(place(dim));
    int written = 0;
    for (int r = 0; r < rows; ++r) {
      const float* cosine = &cosines[place(positions[place(r)] * dim / 2)];
      const float* sine = &sines[place(positions[place(r)] * dim / 2)];
      for (int h = 0; h < all; ++h) {
        const bool is_query = h < heads, is_value = h >= heads + kv_heads;
        const float* norm = !normed || is_value ? nullptr
                            : is_query          ? query_norm.data()
                                                : key_norm.data();
        rotate_reference(&qkv[place((r * all + h) * dim)], dim, norm, 1e-6F,
                         is_value ? nullptr : cosine, is_value ? nullptr : sine,
                         is_query ? static_cast<double>(attention_scale(dim)) : 1.0,
                         expected.data());
        const int kv_head = is_value ? h - heads - kv_heads : h - heads;
        const std::uint16_t* got =
            is_query ? &queries[place((r * heads + h) * dim)]
                     : &(is_value ? values : keys)[place((kv_head * slots + at[place(r)]) * dim)];
        for (int i = 0; i < dim; ++i) {
          const double exact = std::min(expected[place(i)], 65504.0);
          ASSERT_NEAR(static_cast<double>(kernels::half_to_float(got[i])), exact,
                      std::fabs(exact) * 0x1p-10 + 1e-6);
        }
        written += is_query ? 0 : dim;
      }
    }
    const auto untouched =
        std::ranges::count(keys, std::uint16_t{1}) + std::ranges::count(values, std::uint16_t{1});
    EXPECT_EQ(untouched, static_cast<std::ptrdiff_t>(2 * keys.size()) - written);
  }
}

}  // namespace
}  // namespace redraft::cuda
