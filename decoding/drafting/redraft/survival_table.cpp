#include "decoding/drafting/redraft/survival_table.h"

namespace redraft {
namespace {

// How many observations a prior counts as, and how many are remembered.
constexpr double kPriorWeight = 60;
constexpr double kMemory = 300;

// The longest match of each bucket but the last, which is open.
constexpr int kLastMatch[SurvivalTable::kBuckets - 1] = {0, 1, 2, 3, 4, 6, 9, 14, 24, 48};

using Priors = double[kGuessKinds][SurvivalTable::kBuckets];

// As counted on replayed reference edits (CanItEdit, EditEval, NoFunEval, commits of seven
// languages); what was seen too seldom is estimated from its neighbours.
constexpr Priors kFirst = {
    {.96, .97, .94, .93, .81, .84, .89, .940, .972, .985, .997},  // kInSync
    {.05, .10, .15, .20, .25, .30, .30, .300, .300, .300, .300},  // kElsewhere
    {.10, .35, .57, .73, .83, .87, .91, .960, .980, .985, .995},  // kAhead
    {.05, .20, .36, .50, .66, .75, .88, .930, .960, .970, .980},  // kFar
    {.05, .20, .26, .63, .68, .77, .84, .930, .960, .960, .960},  // kBehind
    {.22, .22, .22, .22, .22, .22, .22, .220, .220, .220, .220},  // kReplaced
    {.05, .50, .92, .95, .95, .95, .95, .950, .950, .950, .950},  // kSubstituted
    {.95, .45, .30, .20, .20, .20, .20, .200, .200, .200, .200},  // kUnsubstituted
    {.80, .80, .90, .90, .95, .95, .95, .950, .950, .950, .950},  // kSubstituting
    {.05, .26, .43, .54, .63, .67, .78, .860, .910, .950, .940},  // kCopy
    {.05, .12, .20, .27, .37, .41, .48, .680, .850, .900, .950},  // kRemembered
    {.56, .10, .98, .02, .15, .05, .05, .050, .050, .050, .050},  // kIndentation
    {.25, .15, .15, .15, .15, .15, .15, .150, .150, .150, .150},  // kRecycled
    {.75, .75, .75, .75, .75, .75, .75, .750, .750, .750, .750},  // kModel
    {.05, .12, .20, .27, .37, .41, .48, .680, .850, .900, .950},  // kOpenFile
    {.06, .15, .25, .35, .42, .50, .60, .700, .780, .800, .800},  // kRetrieved
};
constexpr Priors kLater = {
    {.70, .70, .70, .70, .70, .70, .70, .700, .700, .700, .700},  // kInSync
    {.05, .10, .15, .20, .25, .30, .30, .300, .300, .300, .300},  // kElsewhere
    {.05, .21, .18, .30, .40, .40, .40, .400, .400, .400, .400},  // kAhead
    {.02, .05, .13, .13, .20, .20, .30, .300, .300, .300, .300},  // kFar
    {.02, .07, .12, .35, .40, .40, .40, .400, .400, .400, .400},  // kBehind
    {.23, .23, .23, .23, .23, .23, .23, .230, .230, .230, .230},  // kReplaced
    {.05, .50, .80, .80, .80, .80, .80, .800, .800, .800, .800},  // kSubstituted
    {.90, .90, .80, .80, .80, .80, .80, .800, .800, .800, .800},  // kUnsubstituted
    {.50, .50, .50, .50, .50, .50, .50, .500, .500, .500, .500},  // kSubstituting
    {.03, .15, .24, .34, .40, .40, .50, .500, .500, .500, .500},  // kCopy
    {.02, .06, .12, .13, .17, .18, .21, .300, .400, .400, .400},  // kRemembered
    {.45, .10, .60, .02, .45, .05, .05, .050, .050, .050, .050},  // kIndentation
    {.15, .10, .10, .10, .10, .10, .10, .100, .100, .100, .100},  // kRecycled
    {.50, .50, .50, .50, .50, .50, .50, .500, .500, .500, .500},  // kModel
    {.02, .06, .12, .13, .17, .18, .21, .300, .400, .400, .400},  // kOpenFile
    {.04, .10, .16, .22, .25, .30, .35, .400, .400, .400, .400},  // kRetrieved
};

}  // namespace

int SurvivalTable::bucket(int match) {
  int bucket = 0;
  while (bucket < kBuckets - 1 && match > kLastMatch[bucket]) ++bucket;
  return bucket;
}

SurvivalTable::SurvivalTable() {
  const Priors* const priors[] = {&kFirst, &kLater};
  for (std::size_t rank = 0; rank < cells_.size(); ++rank) {
    for (int kind = 0; kind < kGuessKinds; ++kind) {
      for (int bucket = 0; bucket < kBuckets; ++bucket) {
        cells_[rank][kind][bucket] = {kPriorWeight * (*priors[rank])[kind][bucket], kPriorWeight};
      }
    }
  }
}

void SurvivalTable::observe(GuessKind kind, int match, bool first, bool right) {
  Cell& cell = cells_[first ? 0 : 1][static_cast<std::size_t>(kind)][bucket(match)];
  cell.right += right ? 1 : 0;
  cell.tries += 1;
  if (cell.tries > kMemory) {
    cell.right *= kMemory / cell.tries;
    cell.tries = kMemory;
  }
}

}  // namespace redraft
