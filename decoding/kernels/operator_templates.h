#pragma once

#include <cstdint>

#include "decoding/kernels/operator_kernels.h"

// The operators, written once over a vector type V; included by the one file of each instruction
// set, whose V lives in an unnamed namespace, so that every instantiation stays in that file. V has
// kLanes, Float, and static load, store, load_half, store_half, set1, add, sub, mul, div, fma, min,
// max, round, scale_by_power_of_2, sum, largest, transpose.
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

// The last, incomplete vector of an array: zeros past the end.
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
void rms_norm_row(const float* x, const float* weight, float epsilon, int n, float* out) {
  typename V::Float sums[4] = {V::set1(0), V::set1(0), V::set1(0), V::set1(0)};
  for (int i = 0, chain = 0; i < n; i += V::kLanes, chain = (chain + 1) % 4) {
    const typename V::Float value = load_part<V>(x + i, n - i);
    sums[chain] = V::fma(value, value, sums[chain]);
  }
  const float sum = V::sum(V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3])));
  const auto scale = V::set1(1.0f / __builtin_sqrtf(sum / static_cast<float>(n) + epsilon));
  for (int i = 0; i < n; i += V::kLanes) {
    const auto scaled = V::mul(load_part<V>(x + i, n - i), scale);
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
void silu_mul_part(const float* gate, const float* up, int count, float* out) {
  const auto one = V::set1(1.0f);
  for (int i = 0; i < count; i += V::kLanes) {
    const auto g = load_part<V>(gate + i, count - i);
    const auto silu = V::div(g, V::add(one, exp<V>(V::sub(V::set1(0.0f), g))));
    store_part<V>(out + i, V::mul(silu, load_part<V>(up + i, count - i)), count - i);
  }
}

template <typename V>
void to_half_row(const float* x, int n, std::uint16_t* out) {
  int i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) V::store_half(out + i, V::load(x + i));
  if (i == n) return;
  alignas(64) std::uint16_t halves[V::kLanes];
  V::store_half(halves, load_part<V>(x + i, n - i));
  for (int j = i; j < n; ++j) out[j] = halves[j - i];
}

// scores[head * kSpan ..] of kLanes positions for kHeads heads of one row. Sums run over dimensions
// in order, a lane a position, so a score does not depend on what lies in the other lanes.
template <typename V, int kHeads>
inline void score_heads(const float* q, const float* transposed, int head_dim, float scale,
                        float* scores) {
  typename V::Float sums[kHeads];
  for (int h = 0; h < kHeads; ++h) sums[h] = V::set1(0.0f);
  for (int d = 0; d < head_dim; ++d) {
    const auto keys = V::load(transposed + d * V::kLanes);
    for (int h = 0; h < kHeads; ++h) sums[h] = V::fma(V::set1(q[h * head_dim + d]), keys, sums[h]);
  }
  for (int h = 0; h < kHeads; ++h) V::store(scores + h * kSpan, V::mul(sums[h], V::set1(scale)));
}

// kVectors vectors of dimensions of kHeads heads: values weighted and added in the order of
// positions.
template <typename V, int kHeads, int kVectors>
inline void weigh_values(const float* weights, const std::uint16_t* const* values, int count,
                         int dim, int stride, float* out) {
  typename V::Float sums[kHeads][kVectors];
  for (auto& head : sums) {
    for (auto& sum : head) sum = V::set1(0.0f);
  }
  for (int i = 0; i < count; ++i) {
    typename V::Float value[kVectors];
    for (int v = 0; v < kVectors; ++v) value[v] = V::load_half(values[i] + dim + v * V::kLanes);
    for (int h = 0; h < kHeads; ++h) {
      const auto weight = V::set1(weights[h * kSpan + i]);
      for (int v = 0; v < kVectors; ++v) sums[h][v] = V::fma(weight, value[v], sums[h][v]);
    }
  }
  for (int h = 0; h < kHeads; ++h) {
    for (int v = 0; v < kVectors; ++v) V::store(out + h * stride + dim + v * V::kLanes, sums[h][v]);
  }
}

// Scores to weights exp(score - largest); their sum, lane by lane, and the largest score go to
// `extra`.
template <typename V>
inline void soften(float* scores, int count, float* extra) {
  const int whole = (count + V::kLanes - 1) / V::kLanes * V::kLanes;
  for (int i = count; i < whole; ++i) scores[i] = -__builtin_inff();
  auto largest = V::load(scores);
  for (int i = V::kLanes; i < whole; i += V::kLanes) largest = V::max(largest, V::load(scores + i));
  extra[0] = V::largest(largest);
  for (int i = 0; i < whole; i += V::kLanes) {
    V::store(scores + i, exp<V>(V::sub(V::load(scores + i), V::set1(extra[0]))));
  }
  for (int i = count; i < whole; ++i) scores[i] = 0.0f;
  auto sum = V::set1(0.0f);
  for (int i = 0; i < whole; i += V::kLanes) sum = V::add(sum, V::load(scores + i));
  extra[1] = V::sum(sum);
}

// Where the positions of one kv head's span lie.
struct SpanView {
  const AttentionInput& in;
  std::size_t kv_offset;  // of the kv head within a slot
  int begin;              // first position

  std::size_t offset(int row, int position) const {
    const int slot =
        position < in.regular ? position : in.tails[in.tail_begin[row] + position - in.regular];
    return static_cast<std::size_t>(slot) * (static_cast<std::size_t>(in.kv_heads) * in.head_dim) +
           kv_offset;
  }
  // Positions of the span that `row` sees; none or negative where its path ends before.
  int count(int row) const {
    return in.lengths[row] - begin < kSpan ? in.lengths[row] - begin : kSpan;
  }
};

// Keys of positions [begin + at, + kLanes) for `row`, transposed. Lanes past the path's end repeat
// its last key.
template <typename V>
inline void transpose_keys(const SpanView& span, int row, int at, float* transposed) {
  const std::uint16_t* pointers[V::kLanes];
  const int last =
      span.begin + at + V::kLanes <= span.in.regular ? span.in.regular : span.in.lengths[row];
  for (int i = 0; i < V::kLanes; ++i) {
    const int position = span.begin + at + i;
    pointers[i] = span.in.keys + span.offset(row, position < last ? position : last - 1);
  }
  V::transpose(pointers, span.in.head_dim, transposed);
}

template <typename V, int kHeads>
inline void score_span(const SpanView& span, const AttentionTile& tile, float* transposed,
                       float* scores) {
  const AttentionInput& in = span.in;
  const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(in.head_dim));
  for (int at = 0; at < kSpan; at += V::kLanes) {
    // Positions that all rows find in the same slots are transposed once for all of them.
    const bool shared = span.begin + at + V::kLanes <= in.regular;
    bool ready = false;
    for (int r = 0; r < tile.rows; ++r) {
      const int row = tile.first_row + r;
      if (span.count(row) <= at) continue;
      if (!ready || !shared) transpose_keys<V>(span, row, at, transposed);
      ready = true;
      const float* q =
          in.q + (static_cast<std::size_t>(row) * in.heads + tile.first_head) * in.head_dim;
      score_heads<V, kHeads>(q, transposed, in.head_dim, scale, scores + r * kHeads * kSpan + at);
    }
  }
}

template <typename V, int kHeads>
void attend_heads(const AttentionInput& in, const AttentionTile& tile, int span_idx, float* scratch,
                  float* partials) {
  const int dim = in.head_dim;
  const int kv_head = tile.first_head / (in.heads / in.kv_heads);
  const SpanView span{in, static_cast<std::size_t>(kv_head) * dim, span_idx * kSpan};
  float* const scores = scratch + dim * 16;
  score_span<V, kHeads>(span, tile, scratch, scores);
  const int stride = dim + kPartialExtra;
  for (int r = 0; r < tile.rows; ++r) {
    const int row = tile.first_row + r;
    const int count = span.count(row);
    if (count <= 0) continue;
    const std::uint16_t* pointers[kSpan];
    for (int i = 0; i < count; ++i) pointers[i] = in.values + span.offset(row, span.begin + i);
    float* const weights = scores + r * kHeads * kSpan;
    float* const out = partials + r * kHeads * stride;
    for (int h = 0; h < kHeads; ++h) soften<V>(weights + h * kSpan, count, out + h * stride + dim);
    int d = 0;
    for (; d + 2 * V::kLanes <= dim; d += 2 * V::kLanes) {
      weigh_values<V, kHeads, 2>(weights, pointers, count, d, stride, out);
    }
    if (d < dim) weigh_values<V, kHeads, 1>(weights, pointers, count, d, stride, out);
  }
}

template <typename V>
void attend(const AttentionInput& in, const AttentionTile& tile, int span, float* scratch,
            float* partials) {
  switch (tile.heads) {
    case 1:
      return attend_heads<V, 1>(in, tile, span, scratch, partials);
    case 2:
      return attend_heads<V, 2>(in, tile, span, scratch, partials);
    case 3:
      return attend_heads<V, 3>(in, tile, span, scratch, partials);
    case 4:
      return attend_heads<V, 4>(in, tile, span, scratch, partials);
    case 5:
      return attend_heads<V, 5>(in, tile, span, scratch, partials);
    case 6:
      return attend_heads<V, 6>(in, tile, span, scratch, partials);
    case 7:
      return attend_heads<V, 7>(in, tile, span, scratch, partials);
    default:
      return attend_heads<V, 8>(in, tile, span, scratch, partials);
  }
}

template <typename V>
inline float exp_of(float x) {
  alignas(64) float lanes[V::kLanes];
  V::store(lanes, exp<V>(V::set1(x)));
  return lanes[0];
}

template <typename V>
void merge(float* state, const float* partial, int head_dim) {
  const float largest = state[head_dim] > partial[head_dim] ? state[head_dim] : partial[head_dim];
  const float keep = exp_of<V>(state[head_dim] - largest);
  const float take = exp_of<V>(partial[head_dim] - largest);
  for (int d = 0; d < head_dim; d += V::kLanes) {
    V::store(state + d, V::fma(V::load(partial + d), V::set1(take),
                               V::mul(V::load(state + d), V::set1(keep))));
  }
  state[head_dim] = largest;
  state[head_dim + 1] = state[head_dim + 1] * keep + partial[head_dim + 1] * take;
}

template <typename V>
void finish(const float* state, int head_dim, float* out) {
  const auto inverse = V::set1(1.0f / state[head_dim + 1]);
  for (int d = 0; d < head_dim; d += V::kLanes)
    V::store(out + d, V::mul(V::load(state + d), inverse));
}

template <typename V>
constexpr OperatorKernels operators_of() {
  return {.rms_norm = rms_norm_row<V>,
          .add = add_to<V>,
          .silu_mul = silu_mul_part<V>,
          .to_half = to_half_row<V>,
          .attend = attend<V>,
          .merge = merge<V>,
          .finish = finish<V>};
}

}  // namespace
}  // namespace redraft::kernels
