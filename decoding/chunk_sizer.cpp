// Why the chunk size follows the clock
//
// A cancellation takes effect between two passes, so the longest pass decides how long a user
// waits. The cost curve gives a first estimate, but the machine may be busier than when the curve
// was measured, and attention gets slower as the context grows. So each chunk's size is computed
// from the time of the one before.
//
// An example. The curve suggests chunks of 64 rows, but the first one takes 0.5 s. At that price
// 0.225 s (the limit of 0.25 s less a margin) is enough for 28 rows, and the next chunk has 24, the
// next lower multiple of 8.

#include "decoding/chunk_sizer.h"

#include <algorithm>

namespace redraft {
namespace {

// Chunks aim for this fraction of the limit, because attention gets slower as the context grows.
constexpr double kMargin = 0.9;
// Kernels work on tiles of this many rows.
constexpr int kTile = 8;

}  // namespace

int priced_chunk_rows(const CostCurve& cost, int context) {
  if (cost.points().empty()) return kMaxChunkRows;
  const double longest = std::max(kMaxChunkSeconds, kMaxChunkSteps * cost.seconds(1, context));
  return cost.rows_within(longest, 1, kMaxChunkRows, context);
}

ChunkSizer::ChunkSizer(const CostCurve& cost)
    : rows_(cost.points().empty() ? 1 : priced_chunk_rows(cost)) {}

void ChunkSizer::measured(int rows, double seconds) {
  if (rows == 1) step_seconds_ = seconds;
  step_seconds_ = std::min(step_seconds_, seconds);  // one row never takes longer than several
  const double aim = std::max(kMargin * kMaxChunkSeconds, kMaxChunkSteps * step_seconds_);
  // A pass has a fixed cost before its first row, so assuming the same price per row for a larger
  // chunk never underestimates its time. Where rows are nearly free, chunks grow step by step.
  const double affordable = aim * rows / std::max(seconds, 1e-9);
  rows_ = static_cast<int>(std::clamp<double>(affordable, 1, kMaxChunkRows));
  if (rows_ > kTile) rows_ -= rows_ % kTile;
}

}  // namespace redraft
