#pragma once

#include <cstdint>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/operator_kernels.h"

// The operators, written once over a vector type V. Included by one file for each instruction set,
// whose V is in an unnamed namespace, so that every instantiation stays in that file. V has kLanes,
// Float, and static load, store, store_fixed, set1, add, sub, mul, div, fma, min, max, round,
// scale_by_power_of_2, sum, largest.
namespace redraft::kernels {
namespace {

// exp(x) to 2 units in the last place for -87 <= x <= 88; x is clamped to that range. NaN stays
// NaN.
template <typename V>
inline typename V::Float exp(typename V::Float x) {
  using Float = typename V::Float;
  x = V::max(V::set1(-87.0f), V::min(V::set1(88.0f), x));
  const Float n = V::round(V::mul(x, V::set1(1.44269504f)));
  Float r = V::fma(n, V::set1(-0.693145752f), x);  // ln 2 in two parts
  r = V::fma(n, V::set1(-1.42860677e-6f), r);
  Float p = V::set1(1.0f / 720);
  p = V::fma(p, r, V::set1(1.0f / 120));
  p = V::fma(p, r, V::set1(1.0f / 24));
  p = V::fma(p, r, V::set1(1.0f / 6));
  p = V::fma(p, r, V::set1(0.5f));
  p = V::fma(p, r, V::set1(1.0f));
  p = V::fma(p, r, V::set1(1.0f));
  return V::scale_by_power_of_2(p, n);
}

// The last, incomplete vector of an array, with zeros past the end.
template <typename V>
inline typename V::Float load_part(const float* p, int count) {
  if (count >= V::kLanes) return V::load(p);
  alignas(64) float lanes[V::kLanes] = {};
  for (int i = 0; i < count; ++i) lanes[i] = p[i];
  return V::load(lanes);
}
template <typename V>
inline void store_part(float* p, typename V::Float value, int count) {
  if (count >= V::kLanes) return V::store(p, value);
  alignas(64) float lanes[V::kLanes];
  V::store(lanes, value);
  for (int i = 0; i < count; ++i) p[i] = lanes[i];
}

template <typename V>
float sum_squares(const float* x, int n) {
  typename V::Float sums[4] = {V::set1(0), V::set1(0), V::set1(0), V::set1(0)};
  for (int i = 0, chain = 0; i < n; i += V::kLanes, chain = (chain + 1) % 4) {
    const typename V::Float value = load_part<V>(x + i, n - i);
    sums[chain] = V::fma(value, value, sums[chain]);
  }
  return V::sum(V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3])));
}

template <typename V>
void scale_by(const float* x, const float* weight, float scale, int n, float* out) {
  const auto scales = V::set1(scale);
  for (int i = 0; i < n; i += V::kLanes) {
    const auto scaled = V::mul(load_part<V>(x + i, n - i), scales);
    store_part<V>(out + i, V::mul(load_part<V>(weight + i, n - i), scaled), n - i);
  }
}

template <typename V>
void add_to(float* x, const float* y, int count) {
  for (int i = 0; i < count; i += V::kLanes) {
    store_part<V>(x + i, V::add(load_part<V>(x + i, count - i), load_part<V>(y + i, count - i)),
                  count - i);
  }
}

template <typename V>
void add_scaled(float* x, const float* y, float scale, int count) {
  const auto scales = V::set1(scale);
  for (int i = 0; i < count; i += V::kLanes) {
    store_part<V>(x + i,
                  V::fma(scales, load_part<V>(y + i, count - i), load_part<V>(x + i, count - i)),
                  count - i);
  }
}

template <typename V>
void exp_below(const float* x, float most, int count, float* out) {
  const auto most_of_all = V::set1(most);
  for (int i = 0; i < count; i += V::kLanes)
    store_part<V>(out + i, exp<V>(V::sub(load_part<V>(x + i, count - i), most_of_all)), count - i);
}

template <typename V>
void silu_mul_part(const float* gate, const float* up, int count, float* out) {
  const auto one = V::set1(1.0f);
  for (int i = 0; i < count; i += V::kLanes) {
    const auto g = load_part<V>(gate + i, count - i);
    const auto silu = V::div(g, V::add(one, exp<V>(V::sub(V::set1(0.0f), g))));
    store_part<V>(out + i, V::mul(silu, load_part<V>(up + i, count - i)), count - i);
  }
}

// x / (1 + exp(-2 z)) with z = sqrt(2 / pi) (x + 0.044715 x^3), which is (1 + tanh(z)) x / 2.
template <typename V>
void gelu_mul_part(const float* gate, const float* up, int count, float* out) {
  const auto one = V::set1(1.0f);
  for (int i = 0; i < count; i += V::kLanes) {
    const auto g = load_part<V>(gate + i, count - i);
    const auto cube = V::mul(V::mul(g, g), V::mul(g, V::set1(0.044715f)));
    const auto power = V::mul(V::set1(-1.5957691216f), V::add(g, cube));
    const auto gelu = V::div(g, V::add(one, exp<V>(power)));
    store_part<V>(out + i, V::mul(gelu, load_part<V>(up + i, count - i)), count - i);
  }
}

template <typename V>
inline typename V::Float at_most(typename V::Float x, float limit) {
  const auto zero = V::set1(0.0f);
  return V::sub(zero, V::max(V::set1(-limit), V::sub(zero, x)));  // NaN stays
}

template <typename V>
void clamped_silu_mul_part(const float* gate, const float* up, int count, float* out) {
  const auto one = V::set1(1.0f);
  for (int i = 0; i < count; i += V::kLanes) {
    const auto g = at_most<V>(load_part<V>(gate + i, count - i), kGateLimit);
    const auto u =
        V::max(V::set1(-kGateLimit), at_most<V>(load_part<V>(up + i, count - i), kGateLimit));
    const auto power = V::mul(V::set1(-kGateSlope), g);
    const auto gated = V::div(g, V::add(one, exp<V>(power)));
    store_part<V>(out + i, V::mul(gated, V::add(u, one)), count - i);
  }
}

// Writes n integers, n a multiple of 16, and returns their scale: see fixed_point.h.
template <typename V>
inline float fixed_row(const float* x, int n, std::int16_t* out) {
  typename V::Float sums[2] = {V::set1(0), V::set1(0)};
  for (int i = 0, chain = 0; i < n; i += V::kLanes, chain = 1 - chain) {
    const typename V::Float value = V::load(x + i);
    sums[chain] = V::fma(value, value, sums[chain]);
  }
  const float norm = __builtin_sqrtf(V::sum(V::add(sums[0], sums[1])));
  const bool live = norm >= kMinNorm && norm < __builtin_inff();
  const auto inverse = V::set1(live ? kFixedNorm / norm : 0.0f);
  for (int i = 0; i < n; i += V::kLanes) {
    V::store_fixed(out + i, live ? V::mul(V::load(x + i), inverse) : V::set1(0.0f));
  }
  return live ? norm / kFixedNorm : norm < kMinNorm ? 0.0f : __builtin_nanf("");
}

template <typename V>
void to_fixed(const float* x, int n, std::int16_t* out) {
  const float scale = fixed_row<V>(x, n, out);
  __builtin_memcpy(out + n, &scale, sizeof(scale));
}

}  // namespace
}  // namespace redraft::kernels
