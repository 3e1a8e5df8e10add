#pragma once

#include "decoding/cost_curve.h"

namespace redraft {

// How long a cancellation or a progress report may have to wait, in seconds and in plain steps.
// Work on many rows is cut into chunks that take no longer than kMaxChunkSeconds. Where one plain
// step takes more than half of that, the limit is kMaxChunkSteps plain steps.
inline constexpr double kMaxChunkSeconds = 0.25;
inline constexpr double kMaxChunkSteps = 2;
// Larger chunks are not faster on any machine.
inline constexpr int kMaxChunkRows = 256;

// How many rows a chunk on top of `context` tokens should have according to the cost curve alone.
// kMaxChunkRows where rows are free.
int priced_chunk_rows(const CostCurve& cost, int context = 0);

// Chooses the size of the next chunk from the wall-clock time of the previous chunks. Wall-clock
// time is what a user waits for after cancelling, also when other programs use the machine.
class ChunkSizer {
 public:
  // Starts from the curve's estimate; without a curve, from a single row.
  explicit ChunkSizer(const CostCurve& cost = {});

  int rows() const { return rows_; }
  void measured(int rows, double seconds);

 private:
  int rows_;
  double step_seconds_ = 0;  // duration of a step of one row; 0: unknown
};

}  // namespace redraft
