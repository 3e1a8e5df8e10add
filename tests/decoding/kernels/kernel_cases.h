#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decoding/kernels/half.h"
#include "decoding/kernels/linear.h"
#include "decoding/kernels/weight_format.h"
#include "support/aligned_bytes.h"

// Random weights and activations, and the gate that every kernel must pass: a row's bits do not
// depend on the other rows.
namespace redraft::kernels {

inline constexpr WeightFormat kAllFormats[] = {
    WeightFormat::kF32,  WeightFormat::kF16,    WeightFormat::kBF16,   WeightFormat::kQ4_0,
    WeightFormat::kQ4_1, WeightFormat::kQ5_0,   WeightFormat::kQ5_1,   WeightFormat::kQ8_0,
    WeightFormat::kQ4_K, WeightFormat::kQ5_K,   WeightFormat::kQ6_K,   WeightFormat::kQ2_K,
    WeightFormat::kQ3_K, WeightFormat::kIQ4_NL, WeightFormat::kIQ4_XS, WeightFormat::kMXFP4};
inline constexpr WeightFormat kFloatFormats[] = {WeightFormat::kF32, WeightFormat::kF16,
                                                 WeightFormat::kBF16};

// A weight, packed for one instruction set and as the floats that its format defines.
struct TestWeight {
  PackedWeight packed{};
  AlignedBytes data;
  std::vector<float> values;  // [n, k]
};

// Where a quantised block of the file has its halves: the scale and, where there is one, the
// minimum. MXFP4 has none: it begins with an exponent.
inline std::vector<std::size_t> half_places(WeightFormat format) {
  switch (format) {
    case WeightFormat::kMXFP4:
      return {};
    case WeightFormat::kQ2_K:
      return {80, 82};
    case WeightFormat::kQ3_K:
      return {108};
    case WeightFormat::kQ6_K:
      return {208};
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ5_1:
    case WeightFormat::kQ4_K:
    case WeightFormat::kQ5_K:
      return {0, 2};
    default:
      return {0};
  }
}

// Writes `scale` as the scale and the minimum of each quantised block of the file; in MXFP4 the
// next lower power of two.
inline void set_scales(WeightFormat format, float scale, std::vector<std::uint8_t>& file) {
  const std::uint16_t half = float_to_half(scale);
  const auto block = static_cast<std::size_t>(weight_format_info(format)->block_bytes);
  for (std::size_t at = 0; at < file.size(); at += block) {
    for (const std::size_t place : half_places(format)) std::memcpy(&file[at + place], &half, 2);
    if (format == WeightFormat::kMXFP4)
      file[at] = static_cast<std::uint8_t>(128 + std::ilogb(scale));
  }
}

// Random bytes are valid codes; scales are random halves of about 1/50, with both signs where the
// format allows that, or exponents of that size.
inline std::vector<std::uint8_t> random_file(WeightFormat format, int n, int k,
                                             std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, 0.02f);
  std::vector<std::uint8_t> file(weight_bytes(format, n, k));
  const WeightFormatInfo& info = *weight_format_info(format);
  for (std::uint8_t& byte : file) byte = static_cast<std::uint8_t>(random());
  const auto put_half = [&](std::size_t at) {
    const std::uint16_t half = float_to_half(normal(random));
    std::memcpy(&file[at], &half, 2);
  };
  for (std::size_t at = 0; at < file.size(); at += info.block_bytes) {
    const float value = normal(random);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    switch (format) {
      case WeightFormat::kF32:
        std::memcpy(&file[at], &value, 4);
        break;
      case WeightFormat::kBF16:
        std::memcpy(&file[at], reinterpret_cast<const char*>(&bits) + 2, 2);
        break;
      case WeightFormat::kMXFP4:
        file[at] = static_cast<std::uint8_t>(118 + random() % 6);
        break;
      default:
        for (const std::size_t place : half_places(format)) put_half(at + place);
    }
  }
  return file;
}

inline TestWeight make_weight(WeightFormat format, Isa isa, int n, int k,
                              const std::vector<std::uint8_t>& file) {
  TestWeight weight;
  ThreadPool pool(1);
  weight.data = aligned_bytes(packed_bytes(format, n, k));
  pack(format, n, k, file.data(), weight.data.get(), pool);
  weight.packed = {format, isa, n, k, weight.data.get()};
  weight.values.resize(static_cast<std::size_t>(n) * k);
  for (int row = 0; row < n; ++row) {
    dequantize_row(format, file.data() + weight_bytes(format, row, k), k,
                   weight.values.data() + static_cast<std::size_t>(row) * k);
  }
  return weight;
}

// Rows in the form that a weight reads: blocks of them, or the floats themselves, which outlive
// this.
struct PreparedRows {
  AlignedBytes blocks;
  LinearInput input;
};

inline PreparedRows prepare(const PackedWeight& w, const float* x, int rows, ThreadPool& pool) {
  if (reads_floats(w.format)) return {nullptr, x};
  AlignedBytes blocks = aligned_bytes(quantized_bytes(w.isa, rows, w.k));
  quantize_rows(w.isa, x, rows, w.k, blocks.get(), pool);
  const std::uint8_t* data = blocks.get();
  return {std::move(blocks), data};
}

inline std::vector<float> run_linear(const PackedWeight& w, const float* x, int rows,
                                     ThreadPool& pool, const float* bias = nullptr) {
  const PreparedRows prepared = prepare(w, x, rows, pool);
  std::vector<float> y(static_cast<std::size_t>(rows) * w.n);
  linear(w, prepared.input, rows, bias, y.data(), w.n, pool);
  return y;
}

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// Whether `run(first_row, rows)`, which returns [rows, width] floats, gives each of `rows` rows the
// same bits as alone.
template <typename Run>
bool each_row_is_as_alone(int rows, int width, const Run& run) {
  const std::vector<float> together = run(0, rows);
  for (int row = 0; row < rows; ++row) {
    const std::vector<float> alone = run(row, 1);
    if (std::memcmp(alone.data(), together.data() + static_cast<std::size_t>(row) * width,
                    width * sizeof(float)) != 0)
      return false;
  }
  return true;
}

inline bool is_row_invariant(WeightFormat format, Isa isa, int n, int k, int rows,
                             std::uint32_t seed) {
  std::mt19937 random(seed);
  const TestWeight weight = make_weight(format, isa, n, k, random_file(format, n, k, random));
  const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * k, random);
  ThreadPool pool(2);
  return each_row_is_as_alone(rows, n, [&](int first, int count) {
    return run_linear(weight.packed, x.data() + static_cast<std::size_t>(first) * k, count, pool);
  });
}

inline std::string name_of(WeightFormat format, Isa isa) {
  return std::string(weight_format_info(format)->name) + " " + to_string(isa);
}

// Whether linear layers of different formats and sizes give the same results as one piece of work
// as each alone.
inline bool linears_are_as_alone(Isa isa, int rows, ThreadPool& pool) {
  constexpr int kK = 512;
  std::mt19937 random(static_cast<unsigned>(rows));
  const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * kK, random);
  std::vector<TestWeight> weights;
  std::vector<PreparedRows> prepared;
  std::vector<std::vector<float>> expected;
  std::vector<std::vector<float>> got;
  const std::pair<WeightFormat, int> cases[] = {
      {WeightFormat::kQ4_K, 75}, {WeightFormat::kQ6_K, 17}, {WeightFormat::kF32, 40}};
  for (const auto& [format, n] : cases) {
    weights.push_back(make_weight(format, isa, n, kK, random_file(format, n, kK, random)));
    prepared.push_back(prepare(weights.back().packed, x.data(), rows, pool));
    expected.push_back(run_linear(weights.back().packed, x.data(), rows, pool));
    got.emplace_back(expected.back().size());
  }
  const std::vector<float> bias = random_floats(75, random);
  for (std::size_t i = 0; i < expected[0].size(); ++i) expected[0][i] += bias[i % 75];
  std::vector<Linear> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    all.push_back({weights[i].packed, prepared[i].input, i == 0 ? bias.data() : nullptr,
                   got[i].data(), weights[i].packed.n});
  }
  linears(all, rows, pool);
  return got == expected;
}

}  // namespace redraft::kernels
