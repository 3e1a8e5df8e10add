#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding/kernels/delta_rule_template.h"
#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/operator_templates.h"

// Attention over one span of positions, written once over the vector type V of
// operator_templates.h. Here V also has Int and Sum (of products of pairs), and static zero,
// load_int, pair, dot_pairs, to_float, store_fixed, transpose, interleave, and kQueries, the number
// of queries that are computed at once.
//
// Queries, keys and values are 16-bit integers with a scale. An instruction then computes twice as
// many products as with floats, and sums of products are exact, so their order is free: only the
// few float operations per position and per part of a span have a fixed order. Keys are transposed
// to [pair of dimensions][position] and values interleaved to [pair of positions][dimension] once
// for all queries of a tile, so that the inner loops multiply whole vectors of pairs by a broadcast
// pair of the query or of its weights.
namespace redraft::kernels {
namespace {

inline constexpr int kMaxQueries = kRowTile * kMaxGroup;
inline constexpr int kPrepared = 32;  // positions are prepared in multiples of this
inline constexpr int kSpanParts = kSpan / kSpanPart;
inline constexpr int kMaxBlock = 8;  // the largest V::kQueries

// The tile's working memory. Its parts are multiples of 64 bytes.
struct Scratch {
  std::int16_t* queries;  // [kMaxQueries][head_dim]
  float* query_scales;    // [kMaxQueries]
  std::int32_t* keys;     // [position / kLanes][pair of dimensions][kLanes]
  float* key_scales;      // [kSpan]
  std::int32_t* values;   // [pair of positions][head_dim]
  float* value_scales;    // [kSpan]
  float* scores;          // [kMaxBlock][kSpan]
  std::int16_t* weights;  // [kMaxBlock][kSpan]
  float* factors;         // [kMaxBlock][kSpanParts]: the scale of a part's integer sums

  static int key_pairs(int head_dim) { return (head_dim + 31) / 32 * 16; }  // whole vectors
  static std::size_t bytes(int head_dim) {
    Scratch unused;
    return unused.carve(nullptr, head_dim);
  }
  static Scratch in(std::uint8_t* memory, int head_dim) {
    Scratch scratch;
    scratch.carve(memory, head_dim);
    return scratch;
  }

 private:
  std::size_t carve(std::uint8_t* memory, int head_dim) {
    std::size_t at = 0;
    const auto dim = static_cast<std::size_t>(head_dim);
    take(memory, at, kMaxQueries * dim, queries);
    take(memory, at, kMaxQueries, query_scales);
    take(memory, at, kSpan * static_cast<std::size_t>(key_pairs(head_dim)), keys);
    take(memory, at, kSpan, key_scales);
    take(memory, at, kSpan / 2 * dim, values);
    take(memory, at, kSpan, value_scales);
    take(memory, at, kMaxBlock * kSpan, scores);
    take(memory, at, kMaxBlock * kSpan, weights);
    take(memory, at, kMaxBlock * kSpanParts, factors);
    return at;
  }
  template <typename T>
  static void take(std::uint8_t* memory, std::size_t& at, std::size_t count, T*& part) {
    part = memory ? reinterpret_cast<T*>(memory + at) : nullptr;
    at += (count * sizeof(T) + 63) / 64 * 64;
  }
};

inline float scale_of(const std::int16_t* fixed, int head_dim) {
  float scale;
  __builtin_memcpy(&scale, fixed + head_dim, sizeof(scale));
  return scale;
}

// Where the positions of one KV head's span are stored.
struct SpanView {
  const AttentionInput& in;
  int kv_head;
  int begin;  // first position

  std::int64_t offset(int row, int position) const {
    int slot =
        position < in.regular ? position : in.tails[in.tail_begin[row] + position - in.regular];
    if (slot >= in.slots) slot %= in.slots;
    return kv_head * in.head_pitch + static_cast<std::int64_t>(slot) * (in.head_dim + kScaleInts);
  }
  // The positions of the span that `row` sees are [first(row), count(row)), if there are any.
  int first(int row) const { return in.starts[row] > begin ? in.starts[row] - begin : 0; }
  // Zero or negative if its path ends before the span.
  int count(int row) const {
    return in.lengths[row] - begin < kSpan ? in.lengths[row] - begin : kSpan;
  }
  bool is_seen(int row) const { return first(row) < count(row); }
};

// Prefetches into the L2 the data that prepare() reads after the kLanes slots that begin at
// `slots`. The processor alone starts late on each page of 4 KiB.
template <typename V>
inline void prefetch_next(const std::int16_t* slots, int head_dim) {
  const int ints = V::kLanes * (head_dim + kScaleInts);
  constexpr int kLine = 64 / sizeof(std::int16_t);
  for (int at = ints; at < 2 * ints; at += kLine) __builtin_prefetch(slots + at, 0, 2);
}

// Prepares keys and values of positions [from, to) of the span along the path of `row`; both are
// multiples of kPrepared. Positions past the path's end repeat its last one; readers mask them out.
template <typename V>
inline void prepare(const SpanView& span, int row, int from, int to, const Scratch& scratch) {
  const AttentionInput& in = span.in;
  const int last = in.lengths[row] - 1;
  const int pairs = Scratch::key_pairs(in.head_dim);
  for (int at = from; at < to; at += V::kLanes) {
    const std::int16_t* keys[V::kLanes];
    const std::int16_t* values[V::kLanes];
    for (int i = 0; i < V::kLanes; ++i) {
      const int position = span.begin + at + i;
      const std::int64_t offset = span.offset(row, position < last ? position : last);
      keys[i] = in.keys + offset;
      values[i] = in.values + offset;
      scratch.key_scales[at + i] = scale_of(keys[i], in.head_dim);
      scratch.value_scales[at + i] = scale_of(values[i], in.head_dim);
    }
    prefetch_next<V>(keys[0], in.head_dim);
    prefetch_next<V>(values[0], in.head_dim);
    V::transpose(keys, in.head_dim, scratch.keys + at * pairs);
    std::int32_t* out = scratch.values + at / 2 * in.head_dim;
    for (int i = 0; i < V::kLanes; i += 2) {
      for (int d = 0; d < in.head_dim; d += V::kLanes, out += V::kLanes) {
        V::interleave(values[i] + d, values[i + 1] + d, out);
      }
    }
  }
}

// The queries of a tile that are computed at once, in the order [row][head] of the tile.
struct QueryBlock {
  int first;
  int count;  // <= V::kQueries
  // The positions that at least one of them sees are within [least, most). `least` is a multiple of
  // kPrepared, `most` is above 0.
  int least;
  int most;
  int from[kMaxBlock];  // each one sees [from, seen); both 0: nothing
  int seen[kMaxBlock];
};

template <typename V, int kQueries>
inline void score(const QueryBlock& block, int head_dim, const Scratch& scratch) {
  constexpr int kBlocks = 2;
  const int pairs = Scratch::key_pairs(head_dim);
  const std::int16_t* queries = scratch.queries + block.first * head_dim;
  for (int at = block.least; at < block.most; at += kBlocks * V::kLanes) {
    typename V::Sum sums[kQueries][kBlocks];
    for (auto& query : sums) {
      for (auto& sum : query) sum = V::zero();
    }
    const std::int32_t* keys = scratch.keys + at * pairs;
    for (int pair = 0; pair < head_dim / 2; ++pair) {
      typename V::Int key[kBlocks];
      for (int b = 0; b < kBlocks; ++b) key[b] = V::load_int(keys + (b * pairs + pair) * V::kLanes);
      for (int q = 0; q < kQueries; ++q) {
        const typename V::Int query = V::pair(queries + q * head_dim + 2 * pair);
        for (int b = 0; b < kBlocks; ++b) sums[q][b] = V::dot_pairs(sums[q][b], key[b], query);
      }
    }
    for (int q = 0; q < kQueries; ++q) {
      const auto query_scale = V::set1(scratch.query_scales[block.first + q]);
      for (int b = 0; b < kBlocks; ++b) {
        const int to = at + b * V::kLanes;
        const auto scale = V::mul(V::load(scratch.key_scales + to), query_scale);
        V::store(scratch.scores + q * kSpan + to, V::mul(V::to_float(sums[q][b]), scale));
      }
    }
  }
}

// Turns the scores of one query into weights exp(score - largest). The largest score and the sum of
// weights, lane by lane, go to `extra`. The weights of the values, value scales included, are
// rounded part by part to integers whose sum is at most 2^15 (and a few units of rounding), so that
// no sum of weighted values overflows; zeros fill the rest of the block.
template <typename V>
inline void soften(const QueryBlock& block, int query, const Scratch& scratch, float* extra) {
  float* const scores = scratch.scores + query * kSpan;
  std::int16_t* const weights = scratch.weights + query * kSpan;
  const int from = block.from[query];
  const int count = block.seen[query];
  const int first = from / V::kLanes * V::kLanes;
  const int whole = (count + V::kLanes - 1) / V::kLanes * V::kLanes;
  const auto clear = [&](int begin, int stop, float value) {
    for (int i = begin; i < from; ++i) scores[i] = value;
    for (int i = count; i < stop; ++i) scores[i] = value;
  };
  clear(first, whole, -__builtin_inff());
  auto largest = V::load(scores + first);
  for (int i = first + V::kLanes; i < whole; i += V::kLanes)
    largest = V::max(largest, V::load(scores + i));
  extra[0] = V::largest(largest);
  auto sum = V::set1(0.0f);
  for (int part = first / kSpanPart * kSpanPart; part < whole; part += kSpanPart) {
    const int begin = part < first ? first : part;
    const int stop = part + kSpanPart < whole ? part + kSpanPart : whole;
    for (int i = begin; i < stop; i += V::kLanes) {
      V::store(scores + i, exp<V>(V::sub(V::load(scores + i), V::set1(extra[0]))));
    }
    clear(begin, stop, 0.0f);
    auto weighed = V::set1(0.0f);
    for (int i = begin; i < stop; i += V::kLanes) {
      const auto weight = V::load(scores + i);
      sum = V::add(sum, weight);
      V::store(scores + i, V::mul(weight, V::load(scratch.value_scales + i)));
    }
    // A position that is not seen may have any scale, even NaN.
    clear(begin, stop, 0.0f);
    for (int i = begin; i < stop; i += V::kLanes) weighed = V::add(weighed, V::load(scores + i));
    const float total = V::sum(weighed);
    const auto inverse = V::set1(total > 0.0f ? 32767.0f / total : 0.0f);
    for (int i = begin; i < stop; i += V::kLanes) {
      V::store_fixed(weights + i, V::mul(V::load(scores + i), inverse));
    }
    scratch.factors[query * kSpanParts + part / kSpanPart] = total / 32767.0f;
  }
  extra[1] = V::sum(sum);
  const int end = block.most + block.most % 2;
  for (int i = block.least; i < first; ++i) weights[i] = 0;
  for (int i = whole; i < end; ++i) weights[i] = 0;
}

// kVectors vectors of dimensions, starting at `dim`.
template <typename V, int kQueries, int kVectors>
inline void weigh(const QueryBlock& block, int dim, int head_dim, const Scratch& scratch,
                  float* out) {
  const int stride = head_dim + kPartialExtra;
  for (int part = block.least / kSpanPart * kSpanPart; part < block.most; part += kSpanPart) {
    const int begin = part < block.least ? block.least : part;
    const int end = part + kSpanPart < block.most ? part + kSpanPart : block.most;
    typename V::Sum sums[kQueries][kVectors];
    for (auto& query : sums) {
      for (auto& sum : query) sum = V::zero();
    }
    for (int i = begin; i < end; i += 2) {
      typename V::Int value[kVectors];
      const std::int32_t* values = scratch.values + i / 2 * head_dim + dim;
      for (int v = 0; v < kVectors; ++v) value[v] = V::load_int(values + v * V::kLanes);
      for (int q = 0; q < kQueries; ++q) {
        const typename V::Int weight = V::pair(scratch.weights + q * kSpan + i);
        for (int v = 0; v < kVectors; ++v) sums[q][v] = V::dot_pairs(sums[q][v], value[v], weight);
      }
    }
    for (int q = 0; q < kQueries; ++q) {
      // Adding the zero of a part that a path does not reach would turn -0 into 0.
      if (block.seen[q] <= part) continue;
      const int first_part = block.from[q] / kSpanPart * kSpanPart;
      if (part < first_part) continue;
      const auto factor = V::set1(scratch.factors[q * kSpanParts + part / kSpanPart]);
      for (int v = 0; v < kVectors; ++v) {
        float* const to = out + q * stride + dim + v * V::kLanes;
        const auto sum = V::to_float(sums[q][v]);
        V::store(to, part == first_part ? V::mul(sum, factor) : V::fma(sum, factor, V::load(to)));
      }
    }
  }
}

template <typename V, int kQueries>
void attend_queries(const QueryBlock& block, int head_dim, const Scratch& scratch, float* out) {
  score<V, kQueries>(block, head_dim, scratch);
  const int stride = head_dim + kPartialExtra;
  for (int q = 0; q < kQueries; ++q) soften<V>(block, q, scratch, out + q * stride + head_dim);
  int dim = 0;
  for (; dim + 2 * V::kLanes <= head_dim; dim += 2 * V::kLanes) {
    weigh<V, kQueries, 2>(block, dim, head_dim, scratch, out);
  }
  if (dim < head_dim) weigh<V, kQueries, 1>(block, dim, head_dim, scratch, out);
}

// Queries [begin, end) of the tile over the prepared keys and values.
template <typename V>
inline void attend_range(const SpanView& span, const AttentionTile& tile, int begin, int end,
                         const Scratch& scratch, float* partials) {
  using Attend = void (*)(const QueryBlock&, int, const Scratch&, float*);
  constexpr Attend kAttend[kMaxBlock] = {
      attend_queries<V, 1>,       attend_queries<V, 2>,       attend_queries<V, 3>,
      attend_queries<V, 4>,       attend_queries < V,         V::kQueries >= 5 ? 5 : 1 >,
      attend_queries < V,         V::kQueries >= 6 ? 6 : 1 >, attend_queries < V,
      V::kQueries >= 7 ? 7 : 1 >, attend_queries < V,         V::kQueries >= 8 ? 8 : 1 >,
  };
  const int head_dim = span.in.head_dim;
  QueryBlock block{.first = begin, .count = 0, .least = 0, .most = 0, .from = {}, .seen = {}};
  for (; block.first < end; block.first += block.count) {
    block.count = end - block.first < V::kQueries ? end - block.first : V::kQueries;
    block.least = kSpan;
    block.most = 0;
    for (int q = 0; q < block.count; ++q) {
      const int row = tile.first_row + (block.first + q) / tile.heads;
      block.from[q] = span.is_seen(row) ? span.first(row) : 0;
      block.seen[q] = span.is_seen(row) ? span.count(row) : 0;
      if (block.seen[q] == 0) continue;
      if (block.from[q] < block.least) block.least = block.from[q];
      if (block.seen[q] > block.most) block.most = block.seen[q];
    }
    if (block.most == 0) continue;
    block.least = block.least / kPrepared * kPrepared;
    float* const out = partials + block.first * (head_dim + kPartialExtra);
    kAttend[block.count - 1](block, head_dim, scratch, out);
  }
}

inline int whole_prepared(int count) { return (count + kPrepared - 1) / kPrepared * kPrepared; }

// Prepares positions that all rows find in the same slots once for all rows, and the rest of the
// paths, where a tree branches, row by row.
template <typename V>
void attend(const AttentionInput& in, const AttentionTile& tile, int span_idx, std::uint8_t* memory,
            float* partials) {
  const Scratch scratch = Scratch::in(memory, in.head_dim);
  const int kv_head = tile.first_head / (in.heads / in.kv_heads);
  const SpanView span{in, kv_head, span_idx * kSpan};
  int longest = tile.first_row;
  int shared = kSpan;
  int least = kSpan;
  for (int row = tile.first_row; row < tile.first_row + tile.rows; ++row) {
    if (in.lengths[row] > in.lengths[longest]) longest = row;
    if (span.is_seen(row) && span.first(row) < least) least = span.first(row);
    const int straight = in.straight[row] - span.begin;
    if (in.straight[row] < in.lengths[row] && straight < shared) shared = straight;
  }
  least = least / kPrepared * kPrepared;
  if (shared >= span.count(longest)) {
    prepare<V>(span, longest, least, whole_prepared(span.count(longest)), scratch);
    return attend_range<V>(span, tile, 0, tile.rows * tile.heads, scratch, partials);
  }
  shared = shared > 0 ? shared / kPrepared * kPrepared : 0;
  prepare<V>(span, longest, least, shared, scratch);
  for (int r = 0; r < tile.rows; ++r) {
    const int row = tile.first_row + r;
    if (!span.is_seen(row)) continue;
    const int own = span.first(row) / kPrepared * kPrepared;
    prepare<V>(span, row, own > shared ? own : shared, whole_prepared(span.count(row)), scratch);
    attend_range<V>(span, tile, r * tile.heads, (r + 1) * tile.heads, scratch, partials);
  }
}

template <typename V>
void take_queries(const AttentionInput& in, const AttentionTile& tile, std::uint8_t* memory) {
  const Scratch scratch = Scratch::in(memory, in.head_dim);
  for (int i = 0; i < tile.rows * tile.heads; ++i) {
    const int row = tile.first_row + i / tile.heads;
    const int head = tile.first_head + i % tile.heads;
    const float* q = in.q + (static_cast<std::size_t>(row) * in.heads + head) * in.head_dim;
    scratch.query_scales[i] =
        in.scale * fixed_row<V>(q, in.head_dim, scratch.queries + i * in.head_dim);
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
void finish(const float* state, int head_dim, const float* sink, float* out) {
  float scale = 1.0f / state[head_dim + 1];
  if (sink) {
    const float largest = state[head_dim] > *sink ? state[head_dim] : *sink;
    const float keep = exp_of<V>(state[head_dim] - largest);
    scale = keep / (state[head_dim + 1] * keep + exp_of<V>(*sink - largest));
  }
  const auto inverse = V::set1(scale);
  for (int d = 0; d < head_dim; d += V::kLanes)
    V::store(out + d, V::mul(V::load(state + d), inverse));
}

template <typename V>
constexpr OperatorKernels operators_of() {
  return {.sum_squares = sum_squares<V>,
          .scale_by = scale_by<V>,
          .add = add_to<V>,
          .add_scaled = add_scaled<V>,
          .exp_below = exp_below<V>,
          .silu_mul = silu_mul_part<V>,
          .gelu_mul = gelu_mul_part<V>,
          .clamped_silu_mul = clamped_silu_mul_part<V>,
          .sigmoid_mul = sigmoid_mul<V>,
          .delta_tile = delta_tile<V>,
          .convolve = convolve<V, false>,
          .convolve_silu = convolve<V, true>,
          .to_fixed = to_fixed<V>,
          .attention_scratch = Scratch::bytes,
          .take_queries = take_queries<V>,
          .attend = attend<V>,
          .merge = merge<V>,
          .finish = finish<V>};
}

}  // namespace
}  // namespace redraft::kernels
