#include "decoding/chunk_sizer.h"

#include <algorithm>

namespace redraft {
namespace {

// Chunks are aimed below the limit by so much, for the context grows and attention with it.
constexpr double kMargin = 0.9;
// Kernels work on tiles of so many rows.
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
  step_seconds_ = std::min(step_seconds_, seconds);  // other rows only ever add time
  const double aim = std::max(kMargin * kMaxChunkSeconds, kMaxChunkSteps * step_seconds_);
  // A pass costs something before its first row, so other rows at the price of these are no
  // underestimate when they are more. Where rows are nearly free the chunks grow step by step.
  const double affordable = aim * rows / std::max(seconds, 1e-9);
  rows_ = static_cast<int>(std::clamp<double>(affordable, 1, kMaxChunkRows));
  if (rows_ > kTile) rows_ -= rows_ % kTile;
}

}  // namespace redraft
