#include "cuda/pass_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "decoding/kernels/transformer_ops.h"
#include "decoding/model/rope_scaling.h"

namespace redraft::cuda {
namespace {

constexpr int kMinRows = 64;
constexpr int kMinPositions = 1024;
// Room for the paths of a recorded pass with any tree: each path is one longer than the one before.
constexpr std::size_t kMaxTails = kMaxRecordedRows * (kMaxRecordedRows + 1) / 2 + 1;

int grown(int least, int wanted) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(least, wanted))));
}

}  // namespace

PassMemory::PassMemory(const TransformerShape& shape, DeviceQueue& queue)
    : shape_(shape),
      queue_(queue),
      frequencies_(rope_frequencies(shape.head_dim, shape.rope_base, shape.rope_scaling,
                                    shape.rope_divisors)) {}

void PassMemory::make_room(DeviceMemory& memory, std::size_t bytes) {
  if (memory.bytes() >= bytes) return;
  ++generation_;
  memory = DeviceMemory();  // first, because there may be no room for both
  memory = queue_.allocate(bytes);
}

void PassMemory::begin_pass(std::span<const TokenId> context, const DraftTree& draft, int committed,
                            int padded, int steps) {
  const int context_rows = static_cast<int>(context.size());
  const int own_rows = context_rows + draft.size();
  rows_ = std::max(own_rows, padded);
  reserve(rows_);
  const auto rows = static_cast<std::size_t>(rows_);
  staged_.assign(kRowNumbers * rows, 0);
  std::int32_t* ids = staged_.data();
  std::int32_t* positions = ids + rows;
  std::int32_t* slots = positions + rows;
  std::int32_t* lengths = slots + rows;
  std::int32_t* straight = lengths + rows;
  std::int32_t* tail_begin = straight + rows;
  std::int32_t* parents = tail_begin + rows;
  std::fill_n(parents, rows, -1);
  std::copy(context.begin(), context.end(), ids);
  std::copy(draft.tokens().begin(), draft.tokens().end(), ids + context_rows);
  for (int r = 0; r < context_rows; ++r) {
    positions[r] = slots[r] = committed + r;
    lengths[r] = straight[r] = committed + r + 1;
  }
  std::vector<std::int32_t> tails;
  const int regular = committed + context_rows;
  longest_ = regular;
  for (int i = 0; i < draft.size(); ++i) {
    const int row = context_rows + i;
    const int depth = draft.depth(i);
    positions[row] = regular + depth;
    slots[row] = regular + i;
    lengths[row] = regular + depth + 1;
    straight[row] = regular;
    parents[row] = context_rows + draft.parents()[static_cast<std::size_t>(i)];  // -1: the last row
    tail_begin[row] = static_cast<std::int32_t>(tails.size());
    tails.resize(tails.size() + static_cast<std::size_t>(depth) + 1);
    auto end = tails.end();
    for (int node = i; node >= 0; node = draft.parents()[static_cast<std::size_t>(node)])
      *--end = regular + node;
    longest_ = std::max(longest_, lengths[row]);
  }
  for (int row = own_rows; row < rows_; ++row) {
    slots[row] = committed + row;
    lengths[row] = straight[row] = 1;
  }
  tails.push_back(0);  // so that there is always an element to point at
  staged_.insert(staged_.end(), tails.begin(), tails.end());
  constexpr std::size_t kMinNumbers = kRowNumbers * kMaxRecordedRows + kMaxTails;
  make_room(rows_in_, std::max(staged_.size(), kMinNumbers) * sizeof(std::int32_t));
  longest_ += steps;
  reserve_positions(longest_);
  longest_ = grown(kSpan, longest_);
  reserve_scratch();
  queue_.copy_in(rows_in_.as<std::int32_t>(), staged_.data(),
                 staged_.size() * sizeof(std::int32_t));
}

void PassMemory::reserve(int rows) {
  if (rows <= max_rows_) return;
  max_rows_ = 0;  // in case an allocation fails
  const int most = grown(kMinRows, rows);
  const auto count = static_cast<std::size_t>(most);
  const auto floats = [&](DeviceMemory& memory, int width) {
    make_room(memory, count * static_cast<std::size_t>(width) * sizeof(float));
  };
  floats(hidden_, shape_.hidden);
  floats(block_output_, shape_.hidden);
  floats(wide_, std::max(shape_.query_width() + 2 * shape_.kv_width(), 2 * shape_.feed_forward));
  floats(scales_, 1);
  make_room(queries_, count * static_cast<std::size_t>(shape_.query_width()) * 2);
  const int widest = std::max({shape_.hidden, shape_.query_width(), shape_.feed_forward});
  make_room(rounded_, count * static_cast<std::size_t>(padded_width(widest)) * 2);
  make_room(keys_, count * sizeof(std::uint64_t));
  make_room(best_, count * sizeof(std::int32_t));
  make_room(verdict_, sizeof(Verdict));
  make_room(written_, kMaxSteps * sizeof(std::int32_t));
  best_here_ = HostMemory(count * sizeof(std::int32_t));
  if (verdict_here_.bytes() == 0) verdict_here_ = HostMemory(sizeof(Verdict));
  if (written_here_.bytes() == 0) written_here_ = HostMemory(kMaxSteps * sizeof(std::int32_t));
  max_rows_ = most;
}

void PassMemory::reserve_positions(int count) {
  if (count <= max_positions_) return;
  const int most = grown(kMinPositions, count);
  max_positions_ = 0;
  const std::size_t numbers = static_cast<std::size_t>(most) * frequencies_.size();
  std::vector<float> cosines(numbers), sines(numbers);
  kernels::rope_table(most, frequencies_, shape_.rope_scaling.attention_factor, cosines.data(),
                      sines.data());
  make_room(cosines_, numbers * sizeof(float));
  make_room(sines_, numbers * sizeof(float));
  queue_.copy_in(cosines_.as<float>(), cosines.data(), numbers * sizeof(float));
  queue_.copy_in(sines_.as<float>(), sines.data(), numbers * sizeof(float));
  max_positions_ = most;
}

void PassMemory::reserve_scratch() {
  const Attention of{.queries = nullptr,
                     .kv = {},
                     .heads = shape_.heads,
                     .kv_heads = shape_.kv_heads,
                     .head_dim = shape_.head_dim,
                     .paths = {}};
  make_room(scratch_, attention_scratch_bytes(of, rows_, longest_));
}

PassMemory::Head PassMemory::head(int rows, int k) {
  const auto count = static_cast<std::size_t>(rows);
  make_room(logits_, count * static_cast<std::size_t>(shape_.vocabulary) * sizeof(float));
  make_room(head_ids_, count * static_cast<std::size_t>(k) * sizeof(std::int32_t));
  make_room(head_best_, count * static_cast<std::size_t>(k) * sizeof(float));
  return {logits_.as<float>(), head_ids_.as<std::int32_t>(), head_best_.as<float>()};
}

}  // namespace redraft::cuda
