#include "decoding/drafting/survival_table.h"

namespace redraft {
namespace {

// How many observations a prior counts as, and how many are remembered.
constexpr double kPriorWeight = 12;
constexpr double kMemory = 60;

double prior(GuessKind kind, int bucket) {
  if (kind >= GuessKind::kGap) return bucket == 0 ? 0.1 : 0.5;
  constexpr double kByLength[SurvivalTable::kBuckets] = {0.1,  0.3,  0.45, 0.55, 0.65, 0.75,
                                                         0.82, 0.88, 0.93, 0.96, 0.98};
  return kByLength[bucket];
}

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
      cells_[kind][bucket] = {kPriorWeight * prior(static_cast<GuessKind>(kind), bucket),
                              kPriorWeight};
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
