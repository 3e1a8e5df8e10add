// Divides attention into tiles of rows and heads, and into spans of positions. The division decides
// which thread computes what, never what is computed: see kSpan.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/transformer_ops.h"
#include "support/aligned_bytes.h"

namespace redraft::kernels {
namespace {

// With fewer tiles per thread than this, spans are distributed too, so that a thread that loses its
// core for a while delays little.
constexpr int kTilesPerThread = 4;

// The rows' paths, and their division into tiles.
class AttentionPlan {
 public:
  AttentionPlan(Isa isa, const AttentionShape& shape, const float* q, const std::int16_t* keys,
                const std::int16_t* values)
      : shape_(shape), kernels_(operator_kernels(isa)), group_(shape.heads / shape.kv_heads) {
    for (int row = 0; row < shape.rows; ++row) {
      add_path(row);
      add_start();
    }
    in_ = {.heads = shape.heads,
           .kv_heads = shape.kv_heads,
           .head_dim = shape.head_dim,
           .regular = shape.committed + shape.context,
           .scale =
               shape.scale > 0 ? shape.scale : 1.0F / std::sqrt(static_cast<float>(shape.head_dim)),
           .q = q,
           .keys = keys,
           .values = values,
           .head_pitch = shape.head_pitch,
           .slots = shape.slots,
           .starts = starts_.data(),
           .lengths = lengths_.data(),
           .straight = straight_.data(),
           .tails = tails_.data(),
           .tail_begin = tail_begin_.data()};
  }

  int tiles() const { return row_tiles() * shape_.kv_heads * head_tiles(); }
  // The spans that any row sees are [first_span(), end_span()).
  int first_span() const { return *std::min_element(starts_.begin(), starts_.end()) / kSpan; }
  int end_span() const {
    return (*std::max_element(lengths_.begin(), lengths_.end()) - 1) / kSpan + 1;
  }

  AttentionTile tile(int idx) const {
    const int row = idx / (shape_.kv_heads * head_tiles()) * kRowTile;
    const int head_tile = idx % (shape_.kv_heads * head_tiles());
    const int in_group = head_tile % head_tiles() * kMaxGroup;
    return {row, std::min(kRowTile, shape_.rows - row),
            head_tile / head_tiles() * group_ + in_group, std::min(kMaxGroup, group_ - in_group)};
  }

  std::size_t stride() const { return static_cast<std::size_t>(shape_.head_dim) + kPartialExtra; }
  // How many floats the partial results of the largest tile take.
  std::size_t tile_floats() const {
    return static_cast<std::size_t>(std::min(kRowTile, shape_.rows) * std::min(kMaxGroup, group_)) *
           stride();
  }
  std::size_t scratch_bytes() const { return kernels_.attention_scratch(shape_.head_dim); }

  void take_queries(int tile_idx, std::uint8_t* scratch) const {
    kernels_.take_queries(in_, tile(tile_idx), scratch);
  }
  void attend(int tile_idx, int span, std::uint8_t* scratch, float* partials) const {
    kernels_.attend(in_, tile(tile_idx), span, scratch, partials);
  }

  // Adds the result of a span to the states of the rows that see some of it.
  void merge(int tile_idx, int span, const float* partials, float* states) const {
    const AttentionTile t = tile(tile_idx);
    for (int i = 0; i < t.rows * t.heads; ++i) {
      const int number = t.first_row + i / t.heads;
      const auto row = static_cast<std::size_t>(number);
      const int first = starts_[row] / kSpan;
      if (lengths_[row] <= span * kSpan || span < first) continue;
      float* const state = states + i * stride();
      if (span == first) {
        std::copy_n(partials + i * stride(), stride(), state);
      } else {
        kernels_.merge(state, partials + i * stride(), shape_.head_dim);
      }
    }
  }

  void finish(int tile_idx, const float* states, float* out) const {
    const AttentionTile t = tile(tile_idx);
    for (int i = 0; i < t.rows * t.heads; ++i) {
      const std::size_t head = static_cast<std::size_t>(t.first_row + i / t.heads) * shape_.heads +
                               t.first_head + i % t.heads;
      const float* const sink = shape_.sinks ? shape_.sinks + head % shape_.heads : nullptr;
      kernels_.finish(states + i * stride(), shape_.head_dim, sink, out + head * shape_.head_dim);
    }
  }

 private:
  int row_tiles() const { return (shape_.rows - 1) / kRowTile + 1; }
  int head_tiles() const { return (group_ - 1) / kMaxGroup + 1; }

  void add_path(int row) {
    const int regular = shape_.committed + shape_.context;
    tail_begin_.push_back(static_cast<std::int32_t>(tails_.size()));
    lengths_.push_back(shape_.committed + std::min(row + 1, shape_.context));
    straight_.push_back(lengths_.back());
    if (row < shape_.context) return;
    const auto begin = static_cast<std::ptrdiff_t>(tails_.size());
    for (int node = row - shape_.context; node >= 0; node = shape_.parents[node]) {
      tails_.push_back(regular + node);
    }
    std::reverse(tails_.begin() + begin, tails_.end());
    lengths_.back() += static_cast<std::int32_t>(tails_.size()) - static_cast<std::int32_t>(begin);
    for (auto tail = tails_.begin() + begin; tail != tails_.end(); ++tail) {
      if (*tail != straight_.back()) break;
      ++straight_.back();
    }
  }

  void add_start() {
    starts_.push_back(shape_.window > 0 ? std::max(0, lengths_.back() - shape_.window) : 0);
  }

  const AttentionShape& shape_;
  const OperatorKernels& kernels_;
  const int group_;
  std::vector<std::int32_t> starts_, lengths_, straight_, tails_, tail_begin_;
  AttentionInput in_{};
};

// Working memory that a thread keeps from call to call: fresh pages would cost more than the work.
class ThreadMemory {
 public:
  std::uint8_t* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();
      bytes_ = 0;
      memory_ = aligned_bytes(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  AlignedBytes memory_;
  std::size_t bytes_ = 0;
};

thread_local ThreadMemory scratch_memory;   // of each computing thread
thread_local ThreadMemory partials_memory;  // of the calling thread, for all threads

// Many tiles: a thread takes a tile through all spans.
void attend_by_tile(const AttentionPlan& plan, float* out, ThreadPool& pool) {
  const int first = plan.first_span();
  pool.parallel_for(plan.tiles(), 1, [&](int begin, int end) {
    std::uint8_t* const scratch =
        scratch_memory.at_least(plan.scratch_bytes() + 2 * plan.tile_floats() * sizeof(float));
    auto* const states = reinterpret_cast<float*>(scratch + plan.scratch_bytes());
    float* const partials = states + plan.tile_floats();
    for (int tile = begin; tile < end; ++tile) {
      plan.take_queries(tile, scratch);
      plan.attend(tile, first, scratch, states);
      for (int span = first + 1; span < plan.end_span(); ++span) {
        plan.attend(tile, span, scratch, partials);
        plan.merge(tile, span, partials, states);
      }
      plan.finish(tile, states, out);
    }
  });
}

// Few tiles and a long context: threads compute spans in parallel and merge them in the same order
// as above.
void attend_by_span(const AttentionPlan& plan, float* out, ThreadPool& pool) {
  const int first = plan.first_span();
  const int spans = plan.end_span() - first;
  const std::size_t parts = static_cast<std::size_t>(plan.tiles()) * spans;
  auto* const partials = reinterpret_cast<float*>(
      partials_memory.at_least(plan.tile_floats() * parts * sizeof(float)));
  const auto part = [&](int idx) {
    return partials + plan.tile_floats() * static_cast<std::size_t>(idx);
  };
  pool.parallel_for(plan.tiles() * spans, 1, [&](int begin, int end) {
    std::uint8_t* const scratch = scratch_memory.at_least(plan.scratch_bytes());
    for (int i = begin; i < end; ++i) {
      if (i == begin || i % spans == 0) plan.take_queries(i / spans, scratch);
      plan.attend(i / spans, first + i % spans, scratch, part(i));
    }
  });
  pool.parallel_for(plan.tiles(), 1, [&](int begin, int end) {
    for (int tile = begin; tile < end; ++tile) {
      float* const states = part(tile * spans);
      for (int span = 1; span < spans; ++span)
        plan.merge(tile, first + span, part(tile * spans + span), states);
      plan.finish(tile, states, out);
    }
  });
}

}  // namespace

void attention(Isa isa, const AttentionShape& shape, const float* q, const std::int16_t* keys,
               const std::int16_t* values, float* out, ThreadPool& pool) {
  const AttentionPlan plan(isa, shape, q, keys, values);
  if (plan.end_span() - plan.first_span() == 1 ||
      plan.tiles() >= kTilesPerThread * pool.threads()) {
    attend_by_tile(plan, out, pool);
  } else {
    attend_by_span(plan, out, pool);
  }
}

}  // namespace redraft::kernels
