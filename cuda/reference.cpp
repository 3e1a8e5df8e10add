#include "cuda/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "decoding/kernels/half.h"

namespace redraft::cuda {
namespace {

std::uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

void round_rows_reference(const float* x, int ldx, int rows, int k, std::uint16_t* values,
                          float* scales) {
  const auto width = static_cast<std::size_t>(padded_width(k));
  for (int r = 0; r < rows; ++r) {
    const float* from = x + static_cast<std::size_t>(r) * static_cast<std::size_t>(ldx);
    std::uint16_t* to = values + static_cast<std::size_t>(r) * width;
    std::fill_n(to, width, std::uint16_t{0});
    if (!scales) {
      std::transform(from, from + k, to, float_to_bfloat);
      continue;
    }
    float largest = 0;
    for (int i = 0; i < k; ++i) largest = std::fmax(largest, std::fabs(from[i]));
    scales[r] = row_scale(largest);
    for (int i = 0; i < k; ++i) to[i] = kernels::float_to_half(from[i] / scales[r]);
  }
}

Bounded linear_reference(WeightFormat format, int k, const std::uint8_t* file, int output,
                         const Rows& x, int row, const float* bias) {
  std::vector<float> weights(static_cast<std::size_t>(k));
  dequantize_row(format, file + static_cast<std::size_t>(output) * weight_bytes(format, 1, k), k,
                 weights.data());
  const std::uint16_t* values =
      x.values + static_cast<std::size_t>(row) * static_cast<std::size_t>(padded_width(k));
  const double scale = x.scales ? static_cast<double>(x.scales[row]) : 1.0;
  double sum = 0, magnitudes = 0;
  for (int i = 0; i < k; ++i) {
    const float value = reads_bfloats(format) ? kernels::bfloat16_to_float(values[i])
                                              : kernels::half_to_float(values[i]);
    const double product =
        static_cast<double>(weights[static_cast<std::size_t>(i)]) * value * scale;
    sum += product;
    magnitudes += std::fabs(product);
  }
  const double added = bias ? static_cast<double>(bias[output]) : 0.0;
  // Scales, minima and their products are rounded to halves: an error of at most three times 2^-11,
  // and more if a minimum cancels most of a weight, which `magnitudes` does not show.
  const double weight_error = code_bits(format) == 16 ? 0.0 : 0x1p-8;
  const double sum_error = 0x1p-24 * (k / 16.0 + 16.0);
  return {sum + added,
          magnitudes * (weight_error + sum_error) + 0x1p-23 * std::fabs(sum + added) + 1e-30};
}

void norm_reference(const float* x, const float* weight, float epsilon, int n, double* out) {
  double squares = 0;
  for (int i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
  const double scale = 1 / std::sqrt(squares / n + static_cast<double>(epsilon));
  for (int i = 0; i < n; ++i) out[i] = static_cast<double>(x[i]) * scale * weight[i];
}

double silu_mul_reference(float gate, float up) {
  const auto x = static_cast<double>(gate);
  return x / (1 + std::exp(-x)) * up;
}

void rotate_reference(const float* head, int head_dim, const float* norm, float epsilon,
                      const float* cosines, const float* sines, double factor, double* out) {
  if (norm) {
    norm_reference(head, norm, epsilon, head_dim, out);
  } else {
    std::copy_n(head, head_dim, out);
  }
  const int half = head_dim / 2;
  for (int i = 0; i < half; ++i) {
    const double low = out[i], high = out[i + half];
    const double cosine = cosines ? static_cast<double>(cosines[i]) : 1.0;
    const double sine = cosines ? static_cast<double>(sines[i]) : 0.0;
    out[i] = (low * cosine - high * sine) * factor;
    out[i + half] = (high * cosine + low * sine) * factor;
  }
}

void attention_reference(const std::uint16_t* query, const KvMemory& kv, int kv_head, int head_dim,
                         std::span<const std::int32_t> slots, double* values) {
  const auto at = [&](const std::uint16_t* memory, std::int32_t slot, int i) {
    const auto index = (static_cast<std::size_t>(kv_head) * static_cast<std::size_t>(kv.slots) +
                        static_cast<std::size_t>(slot)) *
                           static_cast<std::size_t>(head_dim) +
                       static_cast<std::size_t>(i);
    return static_cast<double>(kernels::half_to_float(memory[index]));
  };
  std::vector<double> scores;
  for (const std::int32_t slot : slots) {
    double score = 0;
    for (int i = 0; i < head_dim; ++i)
      score += static_cast<double>(kernels::half_to_float(query[i])) * at(kv.keys, slot, i);
    scores.push_back(score);
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double weight = 0;
  for (double& score : scores) weight += score = std::exp2(score - largest);
  for (int i = 0; i < head_dim; ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < slots.size(); ++p) sum += scores[p] * at(kv.values, slots[p], i);
    values[i] = sum / weight;
  }
}

}  // namespace redraft::cuda
