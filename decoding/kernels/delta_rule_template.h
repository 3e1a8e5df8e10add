#pragma once

#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/operator_templates.h"

// The inner loops of delta_rule.h, written once over a vector type V: see operator_templates.h.
namespace redraft::kernels {
namespace {

// kVectors vectors of a head's values, for all keys: their columns of the state are read twice and
// written once. Each lane is one value; its sum over the keys runs in their order.
template <typename V, int kVectors, bool kWanted>
inline void delta_block(const DeltaHead& head, int first, float* out) {
  using Float = typename V::Float;
  const Float decay = V::set1(head.decay);
  Float known[kVectors];
  for (Float& each : known) each = V::set1(0.0f);
  const float* from = head.state + first;
  for (int i = 0; i < head.keys; ++i, from += head.values) {
    const Float key = V::set1(head.key[i]);
    for (int j = 0; j < kVectors; ++j)
      known[j] = V::fma(key, V::mul(decay, V::load(from + j * V::kLanes)), known[j]);
  }
  Float change[kVectors];
  Float sums[kVectors];
  for (int j = 0; j < kVectors; ++j) {
    const Float value = V::load(head.value + first + j * V::kLanes);
    change[j] = V::mul(V::set1(head.beta), V::sub(value, known[j]));
    sums[j] = V::set1(0.0f);
  }
  from = head.state + first;
  float* to = head.next + first;
  for (int i = 0; i < head.keys; ++i, from += head.values, to += head.values) {
    const Float key = V::set1(head.key[i]);
    const Float query = V::set1(kWanted ? head.query[i] : 0.0f);
    for (int j = 0; j < kVectors; ++j) {
      const Float next =
          V::fma(key, change[j], V::mul(decay, V::load(from + j * V::kLanes)));
      V::store(to + j * V::kLanes, next);
      if (kWanted) sums[j] = V::fma(query, next, sums[j]);
    }
  }
  for (int j = 0; kWanted && j < kVectors; ++j) V::store(out + first + j * V::kLanes, sums[j]);
}

template <typename V, bool kWanted>
inline void delta_blocks(const DeltaHead& head, float* out) {
  constexpr int kVectors = 4;
  int first = 0;
  for (; first + kVectors * V::kLanes <= head.values; first += kVectors * V::kLanes)
    delta_block<V, kVectors, kWanted>(head, first, out);
  for (; first < head.values; first += V::kLanes) delta_block<V, 1, kWanted>(head, first, out);
}

template <typename V>
void delta_step(const DeltaHead& head, float* out) {
  if (out) return delta_blocks<V, true>(head, out);
  delta_blocks<V, false>(head, nullptr);
}

template <typename V>
void convolve(const float* const* inputs, const float* weight, int taps, int channels, int begin,
              int end, float* out) {
  using Float = typename V::Float;
  const Float one = V::set1(1.0f);
  for (int i = begin; i < end; i += V::kLanes) {
    Float sum = V::set1(0.0f);
    for (int tap = 0; tap < taps; ++tap) {
      sum = V::fma(load_part<V>(weight + tap * channels + i, end - i),
                   load_part<V>(inputs[tap] + i, end - i), sum);
    }
    const Float silu = V::div(sum, V::add(one, exp<V>(V::sub(V::set1(0.0f), sum))));
    store_part<V>(out + i, silu, end - i);
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
