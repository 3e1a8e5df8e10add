#include "decoding/kernels/transformer_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "decoding/kernels/operator_kernels.h"

namespace redraft::kernels {
namespace {

constexpr int kElementGrain = 8192;  // elements that are worth handing to another thread
constexpr int kRowTile = 8;          // rows that share transposed keys

const OperatorKernels& operators(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return avx2_operators();
  if (isa == Isa::kAvx512Vnni) return avx512_operators();
#endif
  return portable_operators();
}

// The rows' paths, and the buffers that tiles of rows and heads work in.
class AttentionPlan {
 public:
  AttentionPlan(Isa isa, const AttentionShape& shape, const float* q, const std::uint16_t* keys,
                const std::uint16_t* values)
      : shape_(shape), kernels_(operators(isa)), group_(shape.heads / shape.kv_heads) {
    for (int row = 0; row < shape.rows; ++row) add_path(row);
    in_ = {shape.heads,
           shape.kv_heads,
           shape.head_dim,
           shape.committed + shape.context,
           q,
           keys,
           values,
           lengths_.data(),
           tails_.data(),
           tail_begin_.data()};
  }

  int tiles() const { return row_tiles() * shape_.kv_heads * head_tiles(); }
  int spans() const {
    return (*std::max_element(lengths_.begin(), lengths_.end()) - 1) / kSpan + 1;
  }

  AttentionTile tile(int idx) const {
    const int row = idx / (shape_.kv_heads * head_tiles()) * kRowTile;
    const int head_tile = idx % (shape_.kv_heads * head_tiles());
    const int in_group = head_tile % head_tiles() * kMaxGroup;
    return {row, std::min(kRowTile, shape_.rows - row),
            head_tile / head_tiles() * group_ + in_group, std::min(kMaxGroup, group_ - in_group)};
  }

  std::size_t stride() const { return static_cast<std::size_t>(shape_.head_dim + kPartialExtra); }
  std::size_t tile_floats() const { return kRowTile * kMaxGroup * stride(); }
  std::size_t scratch_floats() const { return attention_scratch(kRowTile, shape_.head_dim); }

  void attend(int tile_idx, int span, float* scratch, float* partials) const {
    kernels_.attend(in_, tile(tile_idx), span, scratch, partials);
  }

  // Adds what a span gave to the states of the rows that reach it.
  void merge(int tile_idx, int span, const float* partials, float* states) const {
    const AttentionTile t = tile(tile_idx);
    for (int i = 0; i < t.rows * t.heads; ++i) {
      if (lengths_[static_cast<std::size_t>(t.first_row + i / t.heads)] <= span * kSpan) continue;
      if (span == 0) {
        std::memcpy(states + i * stride(), partials + i * stride(), stride() * sizeof(float));
      } else {
        kernels_.merge(states + i * stride(), partials + i * stride(), shape_.head_dim);
      }
    }
  }

  void finish(int tile_idx, const float* states, float* out) const {
    const AttentionTile t = tile(tile_idx);
    for (int i = 0; i < t.rows * t.heads; ++i) {
      const std::size_t head = static_cast<std::size_t>(t.first_row + i / t.heads) * shape_.heads +
                               t.first_head + i % t.heads;
      kernels_.finish(states + i * stride(), shape_.head_dim, out + head * shape_.head_dim);
    }
  }

 private:
  int row_tiles() const { return (shape_.rows - 1) / kRowTile + 1; }
  int head_tiles() const { return (group_ - 1) / kMaxGroup + 1; }

  void add_path(int row) {
    tail_begin_.push_back(static_cast<std::int32_t>(tails_.size()));
    lengths_.push_back(shape_.committed + std::min(row + 1, shape_.context));
    if (row < shape_.context) return;
    const auto begin = static_cast<std::ptrdiff_t>(tails_.size());
    for (int node = row - shape_.context; node >= 0; node = shape_.parents[node]) {
      tails_.push_back(shape_.committed + shape_.context + node);
    }
    std::reverse(tails_.begin() + begin, tails_.end());
    lengths_.back() += static_cast<std::int32_t>(tails_.size()) - static_cast<std::int32_t>(begin);
  }

  const AttentionShape& shape_;
  const OperatorKernels& kernels_;
  const int group_;
  std::vector<std::int32_t> lengths_, tails_, tail_begin_;
  AttentionInput in_{};
};

struct FreeAligned {
  void operator()(float* p) const { std::free(p); }
};
using Floats = std::unique_ptr<float[], FreeAligned>;

Floats allocate_floats(std::size_t count) {
  return Floats(
      static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64)));
}

// Many tiles: a thread takes a tile through all spans.
void attend_by_tile(const AttentionPlan& plan, float* out, ThreadPool& pool) {
  pool.parallel_for(plan.tiles(), 1, [&](int begin, int end) {
    const Floats buffer = allocate_floats(plan.scratch_floats() + 2 * plan.tile_floats());
    float* const partials = buffer.get() + plan.scratch_floats();
    float* const states = partials + plan.tile_floats();
    for (int tile = begin; tile < end; ++tile) {
      for (int span = 0; span < plan.spans(); ++span) {
        plan.attend(tile, span, buffer.get(), partials);
        plan.merge(tile, span, partials, states);
      }
      plan.finish(tile, states, out);
    }
  });
}

// Few tiles and a long context: spans are worked on side by side and merged in the same order as
// above.
void attend_by_span(const AttentionPlan& plan, float* out, ThreadPool& pool) {
  const int spans = plan.spans();
  const Floats partials =
      allocate_floats(plan.tile_floats() * static_cast<std::size_t>(plan.tiles() * spans));
  const auto part = [&](int idx) {
    return partials.get() + plan.tile_floats() * static_cast<std::size_t>(idx);
  };
  pool.parallel_for(plan.tiles() * spans, 1, [&](int begin, int end) {
    const Floats scratch = allocate_floats(plan.scratch_floats());
    for (int i = begin; i < end; ++i) plan.attend(i / spans, i % spans, scratch.get(), part(i));
  });
  pool.parallel_for(plan.tiles(), 1, [&](int begin, int end) {
    for (int tile = begin; tile < end; ++tile) {
      float* const states = part(tile * spans);
      for (int span = 1; span < spans; ++span)
        plan.merge(tile, span, part(tile * spans + span), states);
      plan.finish(tile, states, out);
    }
  });
}

}  // namespace

void rms_norm(Isa isa, const float* x, const float* weight, float epsilon, int rows, int n,
              float* out, ThreadPool& pool) {
  const OperatorKernels& kernels = operators(isa);
  pool.parallel_for(rows, std::max(1, kElementGrain / n), [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n;
      kernels.rms_norm(x + at, weight, epsilon, n, out + at);
    }
  });
}

void add(Isa isa, float* x, const float* y, int count, ThreadPool& pool) {
  const OperatorKernels& kernels = operators(isa);
  pool.parallel_for(count, kElementGrain,
                    [&](int begin, int end) { kernels.add(x + begin, y + begin, end - begin); });
}

void silu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
              ThreadPool& pool) {
  const OperatorKernels& kernels = operators(isa);
  const int per_row = (n - 1) / kElementGrain + 1;  // parts of a row: rows * n may exceed an int
  const int size = (n - 1) / per_row + 1;
  pool.parallel_for(rows * per_row, std::max(1, kElementGrain / size), [&](int begin, int end) {
    for (int part = begin; part < end; ++part) {
      const int column = part % per_row * size;
      const std::size_t at = static_cast<std::size_t>(part / per_row) * n + column;
      kernels.silu_mul(gate + at, up + at, std::min(size, n - column), out + at);
    }
  });
}

void rope_table(int positions, std::span<const double> frequencies, double amplitude,
                float* cosines, float* sines) {
  for (int position = 0; position < positions; ++position) {
    for (const double frequency : frequencies) {
      *cosines++ = static_cast<float>(amplitude * std::cos(position * frequency));
      *sines++ = static_cast<float>(amplitude * std::sin(position * frequency));
    }
  }
}

void rope(const float* cosines, const float* sines, const std::int32_t* positions, int rows,
          int heads, int head_dim, float* x, int ldx, ThreadPool& pool) {
  const int half = head_dim / 2;
  pool.parallel_for(rows, 4, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      const float* c = cosines + static_cast<std::size_t>(positions[row]) * half;
      const float* s = sines + static_cast<std::size_t>(positions[row]) * half;
      for (int head = 0; head < heads; ++head) {
        float* low =
            x + static_cast<std::size_t>(row) * ldx + static_cast<std::size_t>(head) * head_dim;
        float* high = low + half;
        for (int i = 0; i < half; ++i) {
          const float a = low[i];
          const float b = high[i];
          low[i] = a * c[i] - b * s[i];
          high[i] = a * s[i] + b * c[i];
        }
      }
    }
  });
}

void to_half(Isa isa, const float* x, int rows, int n, int ldx, std::uint16_t* out, int ldo) {
  const OperatorKernels& kernels = operators(isa);
  for (int row = 0; row < rows; ++row) {
    kernels.to_half(x + static_cast<std::size_t>(row) * ldx, n,
                    out + static_cast<std::size_t>(row) * ldo);
  }
}

void attention(Isa isa, const AttentionShape& shape, const float* q, const std::uint16_t* keys,
               const std::uint16_t* values, float* out, ThreadPool& pool) {
  const AttentionPlan plan(isa, shape, q, keys, values);
  if (plan.tiles() >= pool.threads()) {
    attend_by_tile(plan, out, pool);
  } else {
    attend_by_span(plan, out, pool);
  }
}

}  // namespace redraft::kernels
