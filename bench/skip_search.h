#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "decoding/skipped_layers.h"

namespace redraft {

// Looks for the sublayers that self-speculative decoding leaves out best, where a set can only be
// tried. (Zhang et al. 2023 take Bayesian optimisation; this is a climb from the best set so far to
// a neighbour of it.) The same seed and the same scores give the same sets on every machine.
//
// An example of 4 layers. It begins with a few sets that leave out something here and there, such
// as "a1+a3". If that is the best of them, one to three of the 8 sublayers change sides for the
// next one: "a1+a3+m2", say, or "a1+m0". Whichever is better is where the following one begins.
class SkipSearch {
 public:
  // Of a model with `layers` layers, at least one. `start` is tried first, if it leaves out
  // something.
  SkipSearch(int layers, std::uint32_t seed, const SkippedLayers& start = SkippedLayers());

  // A set that leaves out something and was not returned before. Nothing: there seems to be none
  // left near the best.
  std::optional<SkippedLayers> next();
  // How good the last one is; more is better. Returns whether it is the best so far.
  bool learn(double score);
  // Leaves out nothing before learn().
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
