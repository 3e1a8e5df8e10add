#include "decoding/drafting/survival_table.h"

namespace redraft {
namespace {

// How many observations a prior counts as, and how many are remembered.
constexpr double kPriorWeight = 60;
constexpr double kMemory = 300;

// The longest match of each bucket but the last, which is open.
constexpr int kLastMatch[SurvivalTable::kBuckets - 1] = {0, 1, 2, 3, 4, 6, 9, 14, 24, 48};

// By kind and bucket, as measured on replayed reference edits (CanItEdit, commits of seven
// languages, small repairs).
constexpr double kPriors[kGuessKinds][SurvivalTable::kBuckets] = {
    {.99, .98, .98, .97, .90, .90, .92, .960, .983, .990, .995},  // kInSync
    {.10, .39, .60, .77, .83, .87, .91, .960, .980, .985, .995},  // kAhead
    {.05, .20, .36, .53, .66, .75, .88, .930, .960, .970, .980},  // kFar
    {.05, .23, .39, .55, .68, .77, .84, .930, .960, .960, .960},  // kBehind
    {.05, .33, .44, .52, .66, .72, .81, .840, .910, .930, .920},  // kCopy
    {.29, .75, .85, .88, .92, .93, .95, .970, .980, .985, .995},  // kReplaced
};

}  // namespace

int SurvivalTable::bucket(int match) {
  int bucket = 0;
  while (bucket < kBuckets - 1 && match > kLastMatch[bucket]) ++bucket;
  return bucket;
}

SurvivalTable::SurvivalTable() {
  for (int kind = 0; kind < kGuessKinds; ++kind) {
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
      cells_[kind][bucket] = {kPriorWeight * kPriors[kind][bucket], kPriorWeight};
    }
  }
}

void SurvivalTable::observe(GuessKind kind, int match, bool right) {
  Cell& cell = cells_[static_cast<int>(kind)][bucket(match)];
  cell.right += right ? 1 : 0;
  cell.tries += 1;
  if (cell.tries > kMemory) {
    cell.right *= kMemory / cell.tries;
    cell.tries = kMemory;
  }
}

}  // namespace redraft
