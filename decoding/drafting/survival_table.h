#pragma once

#include <array>
#include <cstdint>

#include "decoding/draft_tree.h"

namespace redraft {

// Why a token is thought to come next.
enum class GuessKind : std::uint8_t {
  kInSync,  // the original at the pointer
  kAhead,   // the original a little after the place where the output left it
  kFar,     // further after it
  kBehind,  // before it
  kCopy,    // an earlier place of prompt or output
  // No match at all: the original where the output left it, after `n` other tokens of output, as if
  // they replaced `d`.
  kGap,
};
inline constexpr int kGapTokens = 3;   // n is 1..kGapTokens
inline constexpr int kGapSkipped = 3;  // d is 0..kGapSkipped
inline constexpr int kGuessKinds =
    static_cast<int>(GuessKind::kGap) + kGapTokens * (kGapSkipped + 1);

inline constexpr GuessKind gap_guess(int written, int skipped) {
  return static_cast<GuessKind>(static_cast<int>(GuessKind::kGap) +
                                (written - 1) * (kGapSkipped + 1) + skipped);
}
inline constexpr DraftOrigin origin_of(GuessKind kind) {
  return kind == GuessKind::kCopy ? DraftOrigin::kCopy : DraftOrigin::kReuse;
}

// How often a guess comes true, by its kind and the number of tokens before it that match: what
// earlier edits showed, corrected by what this one shows.
class SurvivalTable {
 public:
  static constexpr int kBuckets = 11;
  static int bucket(int match);

  SurvivalTable();
  double probability(GuessKind kind, int match) const { return cell(kind, match).probability(); }
  void observe(GuessKind kind, int match, bool right);

  struct Cell {
    double right = 0;
    double tries = 0;
    double probability() const { return right / tries; }
  };
  const Cell& cell(GuessKind kind, int match) const {
    return cells_[static_cast<int>(kind)][bucket(match)];
  }

 private:
  std::array<std::array<Cell, kBuckets>, kGuessKinds> cells_;
};

}  // namespace redraft
