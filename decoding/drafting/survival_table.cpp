#include "decoding/drafting/survival_table.h"

namespace redraft {
namespace {

// How many observations a prior counts as, and how many are remembered.
constexpr double kPriorWeight = 60;
constexpr double kMemory = 300;

// By kind and bucket, as measured on replayed reference edits (CanItEdit, commits of seven
// languages, small repairs).
constexpr double kPriors[kGuessKinds][SurvivalTable::kBuckets] = {
    {.98, .98, .98, .90, .90, .91, .94, .965, .982, .990, .996},  // kInSync
    {.10, .43, .66, .75, .83, .86, .89, .940, .975, .980, .995},  // kAhead
    {.05, .20, .40, .52, .65, .77, .85, .900, .960, .970, .980},  // kFar
    {.05, .24, .44, .57, .72, .78, .84, .940, .960, .960, .960},  // kBehind
    {.05, .36, .48, .53, .67, .73, .77, .870, .920, .930, .930},  // kCopy
    {.35, .43, .66, .75, .83, .86, .89, .940, .975, .980, .995},  // kReplaced
    {.11, .43, .66, .75, .83, .86, .89, .940, .975, .980, .995},  // kShortened
};

}  // namespace

int SurvivalTable::bucket(int match) {
  constexpr int kLast[kBuckets - 1] = {0, 1, 2, 3, 4, 6, 9, 14, 24, 48};
  int bucket = 0;
  while (bucket < kBuckets - 1 && match > kLast[bucket]) ++bucket;
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
