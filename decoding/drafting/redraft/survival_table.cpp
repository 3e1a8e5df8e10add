// Why guesses are counted
//
// A row of a pass costs time, so a guess is worth a row if it is right often enough. Three
// properties alone predict how often. The first is its kind: the original in sync is right in 19 of
// 20 cases, a datastore's continuation after two tokens in one of four. The second is how many
// tokens before it agree: a copy is right in one of twenty cases after none, and in nineteen after
// fifty. The third is whether it is the likeliest for its place. A guess that comes after others
// only matters if those were wrong; then the text is new, and every source is wrong more often. (A
// log-linear model of seventy features ranked guesses no better.)
//
// The kinds bring priors, measured on replayed edits. Every text has its own habits, so priors
// count as only 60 observations and are corrected by what this decode shows. Beyond 300
// observations the oldest fade, because an edit changes its character on its way through a file.
//
// An example. A copy after 5 agreeing tokens, as the likeliest guess, begins at .67, which is 40.2
// right ones of 60. It is right twice: 42.2 of 62, .68. Then it is wrong five times: 42.2 of 67,
// .63. Matches of 6 tokens share the same cell and follow; those of 4, and the same guess after a
// likelier one, keep their values.
//
// The probability of a kind that is never right approaches 0 until no row is spent on it. A kind
// that is not tried is not observed, so it stays silent for the rest of the decode.

#include "decoding/drafting/redraft/survival_table.h"

namespace redraft {
namespace {

// The number of observations that a prior counts as, and the number remembered.
constexpr double kPriorWeight = 60;
constexpr double kMemory = 300;

}  // namespace

SurvivalTable::SurvivalTable(const GuessKinds& kinds) {
  for (const GuessKind& kind : kinds) {
    const auto begin_with = [this](const auto& priors) {
      for (int bucket = 0; bucket < MatchBuckets::kCount; ++bucket)
        cells_.push_back({kPriorWeight * priors[bucket], kPriorWeight});
    };
    begin_with(kind.first);
    begin_with(kind.later);
  }
}

void SurvivalTable::observe(GuessKindId kind, int match, bool first, bool right) {
  Cell& cell = cells_[place(kind, match, first)];
  cell.right += right ? 1 : 0;
  cell.tries += 1;
  if (cell.tries > kMemory) {
    cell.right *= kMemory / cell.tries;
    cell.tries = kMemory;
  }
}

}  // namespace redraft
