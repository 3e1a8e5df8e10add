#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "decoding/skipped_layers.h"

namespace redraft {

// Searches for the best sublayers to skip in self-speculative decoding, where a set can only be
// judged by trying it. (Zhang et al. 2023 use Bayesian optimisation; this climbs from the best set
// so far to a neighbour of it.) The same seed and scores give the same sets on every machine.
//
// An example with 4 layers. It begins with a few sets that skip some sublayers, such as "a1+a3". If
// that is the best of them, one to three of the 8 sublayers are toggled for the next one: for
// example "a1+a3+m2", or "a1+m0". The better of the two is the start of the following one.
class SkipSearch {
 public:
  // For a model with `layers` layers, at least one. `start` is tried first, if it skips something.
  SkipSearch(int layers, std::uint32_t seed, const SkippedLayers& start = SkippedLayers());

  // A set that skips something and was not returned before. nullopt: there seem to be none left
  // near the best.
  std::optional<SkippedLayers> next();
  // Reports the score of the last set; higher is better. Returns whether it is the best so far.
  bool learn(double score);
  // Skips nothing before learn().
  const SkippedLayers& best() const { return best_; }

 private:
  SkippedLayers neighbour();
  std::uint32_t random_below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_()) % bound;
  }
  bool is_new(const SkippedLayers& skipped);

  std::mt19937 random_;
  std::vector<SkippedLayers> starts_;  // to try, the next one last
  std::set<std::string> tried_;
  SkippedLayers last_;
  SkippedLayers best_;
  double best_score_ = 0;
};

}  // namespace redraft
