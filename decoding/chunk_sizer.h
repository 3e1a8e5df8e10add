#pragma once

#include "decoding/cost_curve.h"

namespace redraft {

// How long a cancel may wait, and progress: work over many rows goes in chunks of no more seconds
// than this, or of no more than two plain steps where a step alone takes longer than half of it.
inline constexpr double kMaxChunkSeconds = 0.25;
inline constexpr double kMaxChunkSteps = 2;
// More rows at once are no faster on any machine.
inline constexpr int kMaxChunkRows = 256;

// The rows of a chunk above so many tokens of context, by the cost curve alone: kMaxChunkRows
// where rows have no price.
int priced_chunk_rows(const CostCurve& cost, int context = 0);

// Chooses the rows of the next chunk from what the chunks before took. The wall clock counts: who
// waits for a cancel waits in its time, whoever else uses the machine.
class ChunkSizer {
 public:
  // Begins with the curve's estimate, or without one with a single row.
  explicit ChunkSizer(const CostCurve& cost = {});

  int rows() const { return rows_; }
  void measured(int rows, double seconds);

 private:
  int rows_;
  double step_seconds_ = 0;  // of one row; 0: not known
};

}  // namespace redraft
