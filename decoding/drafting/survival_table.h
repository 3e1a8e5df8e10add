#pragma once

#include <array>
#include <cstdint>

#include "decoding/draft_tree.h"

namespace redraft {

// Why a token is thought to come next.
enum class GuessKind : std::uint8_t {
  kInSync,    // the original at the pointer
  kAhead,     // the original a little after the place where the output left it
  kFar,       // further after it
  kBehind,    // before it
  kCopy,      // an earlier place of prompt or output
  kReplaced,  // no match: one token after the output left the original, as if it replaced one
};
inline constexpr int kGuessKinds = 6;

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
