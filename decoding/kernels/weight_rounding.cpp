#include "decoding/kernels/weight_rounding.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "decoding/kernels/half.h"

namespace redraft {

namespace {

constexpr int kBlock = 32;
constexpr float kMaxCode = 127;

// Rounds |x| <= 2^22 to the nearest integer, ties to even: after this addition a float has no
// fractional digits. Unlike a library call it can be vectorised.
float to_integer(float x) { return x + 0x1.8p23F - 0x1.8p23F; }

void write_u16(std::uint16_t value, std::uint8_t* out) { std::memcpy(out, &value, sizeof value); }

// A half-precision scale, then a code for each weight.
void quantize_block(const float* weights, std::uint8_t* out) {
  float largest = 0;
  bool finite = true;
  for (int i = 0; i < kBlock; ++i) {
    finite = finite && std::isfinite(weights[i]);
    largest = std::max(largest, std::fabs(weights[i]));
  }
  const std::uint16_t half = kernels::float_to_half(finite ? largest / kMaxCode : INFINITY);
  const float scale = kernels::half_to_float(half);
  write_u16(half, out);
  // Uses the stored scale, which may have been rounded down, or to zero.
  const float inverse = scale > 0 && std::isfinite(scale) ? 1 / scale : 0;
  for (int i = 0; i < kBlock; ++i) {
    const float code =
        finite ? to_integer(std::clamp(weights[i] * inverse, -kMaxCode, kMaxCode)) : 0;
    out[2 + i] = static_cast<std::uint8_t>(static_cast<std::int8_t>(code));
  }
}

// The codes 0 to 15 stand for -8 to 7 times the scale, which may be negative, so the largest
// weight, whatever its sign, can take the code with the most room. A scale that puts that weight
// slightly beyond the end rounds the others finer; the loop tries a few such scales.
constexpr float kLowest = -8;
constexpr float kHighest = 7;
constexpr float kEnds[] = {-8.0F, -8.5F, -9.0F, -7.5F};  // codes of the largest weight to try

float code_of(float weight, float inverse) {
  return std::clamp(to_integer(weight * inverse), kLowest, kHighest);
}

// A half-precision scale, then the codes of weights i and i + 16 in a byte each.
void quantize_block_to_4(const float* weights, std::uint8_t* out) {
  float largest = 0;
  bool finite = true;
  for (int i = 0; i < kBlock; ++i) {
    finite = finite && std::isfinite(weights[i]);
    if (std::fabs(weights[i]) > std::fabs(largest)) largest = weights[i];
  }
  std::uint16_t best = kernels::float_to_half(finite ? largest / kLowest : INFINITY);
  float least = INFINITY;
  for (const float end : kEnds) {
    const std::uint16_t half = kernels::float_to_half(finite ? largest / end : INFINITY);
    const float scale = kernels::half_to_float(half);
    if (scale == 0 || !std::isfinite(scale)) continue;
    float lost = 0;
    for (int i = 0; i < kBlock; ++i) {
      const float error = weights[i] - scale * code_of(weights[i], 1 / scale);
      lost += error * error;
    }
    if (lost >= least) continue;
    least = lost;
    best = half;
  }
  write_u16(best, out);
  const float scale = kernels::half_to_float(best);
  const float inverse = scale != 0 && std::isfinite(scale) ? 1 / scale : 0;
  const auto code = [&](int i) {
    const float own = finite ? code_of(weights[i], inverse) : 0;
    return static_cast<unsigned>(static_cast<int>(own) - static_cast<int>(kLowest));
  };
  for (int i = 0; i < kBlock / 2; ++i)
    out[2 + i] = static_cast<std::uint8_t>(code(i) | code(i + kBlock / 2) << 4);
}

}  // namespace

WeightFormat format_of_changed(WeightFormat stored) {
  switch (stored) {
    case WeightFormat::kF32:
      return WeightFormat::kF32;
    case WeightFormat::kF16:
    case WeightFormat::kBF16:
    case WeightFormat::kQ8_0:
      return WeightFormat::kF16;
    default:
      return WeightFormat::kQ8_0;
  }
}

void quantize_row(WeightFormat format, const float* weights, int columns, void* out) {
  auto* bytes = static_cast<std::uint8_t*>(out);
  const WeightFormatInfo& info = *weight_format_info(format);
  assert(columns % info.block_size == 0);
  if (format == WeightFormat::kF32) {
    std::memcpy(bytes, weights, static_cast<std::size_t>(columns) * sizeof(float));
  } else if (format == WeightFormat::kF16) {
    for (int i = 0; i < columns; ++i) write_u16(kernels::float_to_half(weights[i]), bytes + 2 * i);
  } else {
    assert(format == WeightFormat::kQ8_0 || format == WeightFormat::kQ4_0);
    const auto quantize = format == WeightFormat::kQ8_0 ? quantize_block : quantize_block_to_4;
    for (int i = 0; i < columns; i += kBlock, bytes += info.block_bytes)
      quantize(weights + i, bytes);
  }
}

}  // namespace redraft
