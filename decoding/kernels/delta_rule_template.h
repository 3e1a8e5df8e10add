#pragma once

#include <cstddef>

#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/operator_templates.h"

// The inner loops of delta_rule.h and convolution.h, written once over a vector type V: see
// operator_templates.h.
namespace redraft::kernels {
namespace {

// kVectors vectors of values, for all keys. Each lane is one value; it sums up over the even and
// over the odd keys, in their order.
template <typename V, int kVectors, bool kWanted>
inline void delta_columns(const DeltaTile& tile, float* out) {
  using Float = typename V::Float;
  constexpr int kWidth = kVectors * V::kLanes;
  const Float decay = V::set1(tile.decay);
  const float* const from = tile.state;
  float* const to = tile.next;
  Float sums[2][kVectors];
  for (auto& half : sums) {
    for (Float& each : half) each = V::set1(0.0f);
  }
  for (int i = 0; i < tile.keys; i += 2) {
    for (int odd = 0; odd < 2; ++odd) {
      const Float key = V::set1(tile.key[i + odd]);
      for (int j = 0; j < kVectors; ++j) {
        const Float old = V::load(from + (i + odd) * kWidth + j * V::kLanes);
        sums[odd][j] = V::fma(key, V::mul(decay, old), sums[odd][j]);
      }
    }
  }
  Float change[kVectors];
  for (int j = 0; j < kVectors; ++j) {
    const Float value = V::load(tile.value + j * V::kLanes);
    change[j] = V::mul(V::set1(tile.beta), V::sub(value, V::add(sums[0][j], sums[1][j])));
    sums[0][j] = sums[1][j] = V::set1(0.0f);
  }
  for (int i = 0; i < tile.keys; i += 2) {
    for (int odd = 0; odd < 2; ++odd) {
      const Float key = V::set1(tile.key[i + odd]);
      const Float query = V::set1(kWanted ? tile.query[i + odd] : 0.0f);
      for (int j = 0; j < kVectors; ++j) {
        const std::ptrdiff_t at = (i + odd) * kWidth + j * V::kLanes;
        const Float next = V::fma(key, change[j], V::mul(decay, V::load(from + at)));
        V::store(to + at, next);
        if (kWanted) sums[odd][j] = V::fma(query, next, sums[odd][j]);
      }
    }
  }
  for (int j = 0; kWanted && j < kVectors; ++j)
    V::store(out + j * V::kLanes, V::add(sums[0][j], sums[1][j]));
}

template <typename V, bool kWanted>
inline void delta_width(const DeltaTile& tile, float* out) {
  if (tile.width == kDeltaTile) return delta_columns<V, kDeltaTile / V::kLanes, kWanted>(tile, out);
  delta_columns<V, kDeltaTile / 2 / V::kLanes, kWanted>(tile, out);
}

template <typename V>
void delta_tile(const DeltaTile& tile, float* out) {
  if (out) return delta_width<V, true>(tile, out);
  delta_width<V, false>(tile, nullptr);
}

template <typename V, bool kSilu>
void convolve(const ConvolutionRow& row, float* out) {
  using Float = typename V::Float;
  const Float one = V::set1(1.0f);
  for (int i = row.begin; i < row.end; i += V::kLanes) {
    const int count = row.end - i;
    Float sum = V::set1(0.0f);
    for (int tap = 0; tap < row.taps; ++tap) {
      sum = V::fma(load_part<V>(row.weight + tap * row.channels + i, count),
                   load_part<V>(row.inputs[tap] + i, count), sum);
    }
    if (kSilu) sum = V::div(sum, V::add(one, exp<V>(V::sub(V::set1(0.0f), sum))));
    store_part<V>(out + i, sum, count);
  }
}

template <typename V>
void sigmoid_mul(const float* x, const float* gate, int count, float* out) {
  const auto one = V::set1(1.0f);
  for (int i = 0; i < count; i += V::kLanes) {
    const auto g = load_part<V>(gate + i, count - i);
    const auto sigmoid = V::div(one, V::add(one, exp<V>(V::sub(V::set1(0.0f), g))));
    store_part<V>(out + i, V::mul(sigmoid, load_part<V>(x + i, count - i)), count - i);
  }
}

}  // namespace
}  // namespace redraft::kernels
