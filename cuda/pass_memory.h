#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/attention.h"
#include "cuda/layer.h"
#include "cuda/runtime.h"
#include "cuda/sequence.h"
#include "decoding/draft_tree.h"
#include "decoding/model/transformer_shape.h"
#include "support/token.h"

namespace redraft::cuda {

// Passes of at most this many rows may be recorded.
inline constexpr int kMaxRecordedRows = 128;
// Tokens that are written in one go.
inline constexpr int kMaxSteps = 8;

// The data of the rows of one pass, in the memory of the GPU. It grows with the largest pass;
// pointers are valid until the next begin_pass(). Throws DeviceMemoryError if memory runs out.
class PassMemory {
 public:
  // `queue` outlives this.
  PassMemory(const TransformerShape& shape, DeviceQueue& queue);

  // Sends what is known about the rows: their tokens, positions, slots, paths and parents. Up to
  // `padded` rows (0: none) are filled up with meaningless rows, whose slots follow the draft's. A
  // single row may advance by `steps`.
  void begin_pass(std::span<const TokenId> context, const DraftTree& draft, int committed,
                  int padded = 0, int steps = 0);
  // Everything that the layers and the argmax of a pass of at most kMaxRecordedRows use stays at
  // the same address as long as this does not change.
  int generation() const { return generation_; }

  // Of every row, int32.
  const std::int32_t* ids() const { return numbers(0); }
  const std::int32_t* positions() const { return numbers(1); }
  const std::int32_t* slots() const { return numbers(2); }
  Paths paths() const {
    return {.lengths = numbers(3),
            .straight = numbers(4),
            .tails = numbers(kRowNumbers),
            .tail_begin = numbers(5)};
  }
  DraftRows draft_rows() const { return {ids(), best(), numbers(6), slots(), paths()}; }
  // For a pass of one row.
  StepRow step_row() const { return {numbers(0), numbers(1), numbers(2), numbers(3), numbers(4)}; }
  // No path has more positions; at most twice the true length, so that few different numbers occur.
  int longest() const { return longest_; }

  // [positions, head_dim / 2], for all positions of the pass.
  const float* cosines() const { return cosines_.as<float>(); }
  const float* sines() const { return sines_.as<float>(); }

  float* hidden() const { return hidden_.as<float>(); }              // [rows, hidden]
  float* block_output() const { return block_output_.as<float>(); }  // [rows, hidden]
  // [rows, the largest width of what linear layers of one layer write side by side]
  float* wide() const { return wide_.as<float>(); }
  std::uint16_t* queries() const { return queries_.as<std::uint16_t>(); }
  // The input of the next linear layers.
  RowsOut rounded(bool bfloats) const {
    return {rounded_.as<std::uint16_t>(), bfloats ? nullptr : scales_.as<float>()};
  }
  float* scratch() const { return scratch_.as<float>(); }  // of attention

  // Of the argmax of every row.
  std::uint64_t* keys() const { return keys_.as<std::uint64_t>(); }
  std::int32_t* best() const { return best_.as<std::int32_t>(); }
  Verdict* verdict() const { return verdict_.as<Verdict>(); }
  std::int32_t* written() const { return written_.as<std::int32_t>(); }  // [kMaxSteps]
  // The host's copies: [rows], one, [kMaxSteps].
  std::int32_t* best_here() const { return best_here_.as<std::int32_t>(); }
  Verdict* verdict_here() const { return verdict_here_.as<Verdict>(); }
  std::int32_t* written_here() const { return written_here_.as<std::int32_t>(); }
  // For `rows` rows of logits, `k` numbers each. Valid until the next call.
  struct Head {
    float* logits;  // [rows, vocabulary]
    std::int32_t* ids;
    float* best;
  };
  Head head(int rows, int k);

 private:
  static constexpr int kRowNumbers = 7;  // sent for each row

  std::int32_t* numbers(int which) const { return rows_in_.as<std::int32_t>() + which * rows_; }
  void make_room(DeviceMemory& memory, std::size_t bytes);
  void reserve(int rows);
  void reserve_positions(int count);
  void reserve_scratch();

  TransformerShape shape_;
  DeviceQueue& queue_;
  std::vector<double> frequencies_;
  std::vector<std::int32_t> staged_;
  int rows_ = 0;
  int longest_ = 0;
  int max_rows_ = 0;
  int max_positions_ = 0;
  int generation_ = 0;
  DeviceMemory rows_in_, cosines_, sines_, hidden_, block_output_, wide_, queries_, rounded_,
      scales_, scratch_, keys_, best_, verdict_, written_, logits_, head_ids_, head_best_;
  HostMemory best_here_, verdict_here_, written_here_;
};

}  // namespace redraft::cuda
