#pragma once

#include <vector>

#include "decoding/drafting/redraft/sources/guess.h"

namespace redraft {

// How often a guess is right if all likelier guesses for its place are wrong, by its kind, by the
// number of matching tokens before it, and by whether there was a likelier one. It starts from what
// earlier edits showed and is corrected by what this one shows.
class SurvivalTable {
 public:
  // Starts from the priors that the kinds declare.
  explicit SurvivalTable(const GuessKinds& kinds);

  double probability(GuessKindId kind, int match, bool first) const {
    const Cell& cell = cells_[place(kind, match, first)];
    return cell.right / cell.tries;
  }
  void observe(GuessKindId kind, int match, bool first, bool right);

 private:
  struct Cell {
    double right = 0;
    double tries = 0;
  };
  static std::size_t place(GuessKindId kind, int match, bool first) {
    const std::size_t row = static_cast<std::size_t>(kind.index()) * 2 + (first ? 0 : 1);
    return row * MatchBuckets::kCount + static_cast<std::size_t>(MatchBuckets::of(match));
  }

  std::vector<Cell>
      cells_;  // per kind: a row of cells for the likeliest guesses, then one for the others
};

}  // namespace redraft
