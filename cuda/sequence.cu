#include <bit>

#include "cuda/block.cuh"
#include "cuda/sequence.h"

namespace redraft::cuda {
namespace {

// One thread per row. Whether all ancestors of a row are accepted is determined by doubling: after
// round i, each row knows it for the 2^i rows above it.
__global__ void __launch_bounds__(kMaxVerifiedRows)
    accept_rows(DraftRows draft, int rows, Verdict* verdict) {
  auto* stands = reinterpret_cast<std::int32_t*>(shared_memory());
  const int width = static_cast<int>(blockDim.x);  // a power of two, at least `rows`
  std::int32_t* above = stands + width;            // the next row to ask; -1: none is left
  std::int32_t* keys = above + width;
  const int row = thread();
  const int parent = row < rows ? draft.parents[row] : -1;
  stands[row] = parent >= 0 && draft.ids[row] == draft.best[parent] ? 1 : 0;
  above[row] = parent >= 0 && draft.parents[parent] >= 0 ? parent : -1;
  for (int reach = 1; reach < width; reach *= 2) {
    __syncthreads();
    const int other = above[row];
    const int own = other < 0 ? stands[row] : stands[row] & stands[other];
    const int next = other < 0 ? -1 : above[other];
    __syncthreads();
    stands[row] = own;
    above[row] = next;
  }
  const int depth = stands[row] ? draft.paths.lengths[row] - draft.paths.straight[row] : 0;
  keys[row] = stands[row] ? depth * kMaxVerifiedRows + (kMaxVerifiedRows - 1 - row) : -1;
  for (int half = width / 2; half > 0; half /= 2) {
    __syncthreads();
    if (row < half && keys[row + half] > keys[row]) keys[row] = keys[row + half];
  }
  __syncthreads();
  const int best = keys[0];
  const int deepest = best < 0 ? -1 : kMaxVerifiedRows - 1 - best % kMaxVerifiedRows;
  const int count = best < 0 ? 0 : best / kMaxVerifiedRows;
  // Slots ascend with rows, and a row's place on the path is never after its slot: once one row is
  // out of place, so are all rows after it.
  int slot = -1;
  if (row < count) {
    slot = draft.paths.tails[draft.paths.tail_begin[deepest] + row];
    verdict->rows[row] = deepest - (draft.slots[deepest] - slot);
  }
  const bool moves = row < count && slot != draft.paths.straight[deepest] + row;
  __syncthreads();
  keys[row] = moves ? row : count;
  for (int half = width / 2; half > 0; half /= 2) {
    __syncthreads();
    if (row < half && keys[row + half] < keys[row]) keys[row] = keys[row + half];
  }
  __syncthreads();
  if (row == 0) {
    verdict->accepted = count;
    verdict->in_place = keys[0];
  }
}

// The part of every slot of a strip that belongs to this thread: one block per strip, one thread
// per two dimensions. Each thread moves its own part, one slot after the other, so no barrier is
// needed.
class OwnHalves {
 public:
  __device__ OwnHalves(std::uint16_t* memory, int slots, int head_dim)
      : pitch_(static_cast<std::size_t>(head_dim / 2)),
        strip_(reinterpret_cast<std::uint32_t*>(memory) +
               static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(slots) * pitch_ +
               threadIdx.x) {}

  __device__ void move(int from, int to) {
    strip_[static_cast<std::size_t>(to) * pitch_] = strip_[static_cast<std::size_t>(from) * pitch_];
  }

 private:
  std::size_t pitch_;
  std::uint32_t* strip_;
};

__global__ void move_strip(std::uint16_t* memory, int slots, int head_dim, const SlotMove* moves,
                           int count) {
  OwnHalves own(memory, slots, head_dim);
  for (int i = 0; i < count; ++i) own.move(moves[i].from, moves[i].to);
}

__global__ void move_accepted_strip(std::uint16_t* memory, int slots, int head_dim, DraftRows draft,
                                    const Verdict* verdict) {
  OwnHalves own(memory, slots, head_dim);
  for (int i = verdict->in_place; i < verdict->accepted; ++i) {
    const int row = verdict->rows[i];
    own.move(draft.slots[row], draft.paths.straight[row] + i);
  }
}

dim3 strip_blocks(int strips) { return dim3{static_cast<unsigned>(strips), 1, 1}; }
dim3 strip_threads(int head_dim) { return dim3{static_cast<unsigned>(head_dim / 2), 1, 1}; }

__global__ void step_one_row(const std::int32_t* token, std::int32_t* written, StepRow row,
                             int by) {
  *row.id = *written = *token;
  *row.position += by;
  *row.slot += by;
  *row.length += by;
  *row.straight += by;
}

}  // namespace

void accept_draft(const DraftRows& draft, int rows, Verdict* verdict, Stream stream) {
  const unsigned threads = std::bit_ceil(static_cast<unsigned>(rows));
  launch(accept_rows, dim3{1, 1, 1}, dim3{threads, 1, 1}, 3 * threads * sizeof(std::int32_t),
         stream, draft, rows, verdict);
}

void move_accepted(std::uint16_t* memory, int strips, int slots, int head_dim,
                   const DraftRows& draft, const Verdict* verdict, Stream stream) {
  launch(move_accepted_strip, strip_blocks(strips), strip_threads(head_dim), 0, stream, memory,
         slots, head_dim, draft, verdict);
}

void move_slots(std::uint16_t* memory, int strips, int slots, int head_dim, const SlotMove* moves,
                int count, Stream stream) {
  launch(move_strip, strip_blocks(strips), strip_threads(head_dim), 0, stream, memory, slots,
         head_dim, moves, count);
}

void next_step(const std::int32_t* token, std::int32_t* written, const StepRow& row, int by,
               Stream stream) {
  launch(step_one_row, dim3{1, 1, 1}, dim3{1, 1, 1}, 0, stream, token, written, row, by);
}

}  // namespace redraft::cuda
