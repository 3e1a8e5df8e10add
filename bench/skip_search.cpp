#include "bench/skip_search.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr int kAttempts = 1000;

// Attention, and the MLP if `both`, of every `step`-th layer in [first, end).
SkippedLayers spread(int layers, int first, int end, int step, bool both) {
  SkippedLayers skipped(layers);
  for (int layer = first; layer < end; layer += step) {
    const auto index = static_cast<std::size_t>(layer);
    skipped.attention[index] = true;
    if (both) skipped.feed_forward[index] = true;
  }
  return skipped;
}

}  // namespace

// The first and the last layers are those that can be spared least, so most starts keep them.
SkipSearch::SkipSearch(int layers, std::uint32_t seed, const SkippedLayers& start)
    : random_(seed), best_(layers) {
  const int quarter = layers / 4;
  starts_ = {spread(layers, quarter, layers - quarter, 1, false),
             spread(layers, quarter, layers - quarter, 3, true),
             spread(layers, quarter, layers - quarter, 2, true),
             spread(layers, 1, layers, 2, false)};
  if (start.layers() == layers) starts_.push_back(start);
}

bool SkipSearch::is_new(const SkippedLayers& skipped) {
  return !skipped.empty() && tried_.insert(to_string(skipped)).second;
}

std::optional<SkippedLayers> SkipSearch::next() {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (starts_.empty()) {
      last_ = neighbour();
    } else {
      last_ = std::move(starts_.back());
      starts_.pop_back();
    }
    if (is_new(last_)) return last_;
  }
  return std::nullopt;
}

bool SkipSearch::learn(double score) {
  if (!best_.empty() && score <= best_score_) return false;
  best_ = last_;
  best_score_ = score;
  return true;
}

SkippedLayers SkipSearch::neighbour() {
  SkippedLayers skipped = best_;
  const auto layers = static_cast<std::uint32_t>(skipped.layers());
  const std::uint32_t dice = random_below(6);
  for (std::uint32_t changes = dice < 3 ? 1 : dice < 5 ? 2 : 3; changes > 0; --changes) {
    const std::uint32_t sublayer = random_below(2 * layers);
    (sublayer < layers ? skipped.attention : skipped.feed_forward)[sublayer % layers].flip();
  }
  return skipped;
}

}  // namespace redraft
