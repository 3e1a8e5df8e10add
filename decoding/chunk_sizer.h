#pragma once

#include "decoding/cost_curve.h"

namespace redraft {

// How long a cancellation or a progress report may have to wait. Work on many rows is cut into
// chunks that take no longer than this, or no longer than two plain steps where one step alone
// takes more than half of it.
inline constexpr double kMaxChunkSeconds = 0.25;
inline constexpr double kMaxChunkSteps = 2;
// Larger chunks are not faster on any machine.
inline constexpr int kMaxChunkRows = 256;

// How many rows a chunk on top of `context` tokens should have, by the cost curve alone;
// kMaxChunkRows where rows are free.
int priced_chunk_rows(const CostCurve& cost, int context = 0);

// Chooses the size of the next chunk from how long the previous chunks took, by the wall clock:
// that is the time for which a user waits after cancelling, even if other programs use the machine.
class ChunkSizer {
 public:
  // Starts from the curve's estimate; without a curve, from a single row.
  explicit ChunkSizer(const CostCurve& cost = {});

  int rows() const { return rows_; }
  void measured(int rows, double seconds);

 private:
  int rows_;
  double step_seconds_ = 0;  // of one row; 0: unknown
};

}  // namespace redraft
