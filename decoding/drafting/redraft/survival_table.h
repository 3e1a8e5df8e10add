#pragma once

#include <array>

#include "decoding/drafting/redraft/guess.h"

namespace redraft {

// How often a guess comes true where all likelier ones for its place did not, by its kind, the
// number of tokens before it that match, and whether there was a likelier one: what earlier edits
// showed, corrected by what this one shows.
class SurvivalTable {
 public:
  static constexpr int kBuckets = 11;
  static int bucket(int match);

  SurvivalTable();
  double probability(GuessKind kind, int match, bool first) const {
    return cells_[first ? 0 : 1][static_cast<std::size_t>(kind)][bucket(match)].probability();
  }
  void observe(GuessKind kind, int match, bool first, bool right);

 private:
  struct Cell {
    double right = 0;
    double tries = 0;
    double probability() const { return right / tries; }
  };
  using Cells = std::array<std::array<Cell, kBuckets>, kGuessKinds>;
  std::array<Cells, 2> cells_;  // of the likeliest guesses, of the others
};

}  // namespace redraft
