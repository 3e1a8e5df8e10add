#pragma once

#include <span>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/draft_tree.h"
#include "decoding/drafting/survival_table.h"
#include "support/token.h"

namespace redraft {

// One way the output may go on, with the reason to think so.
struct Continuation {
  std::span<const TokenId> tokens;
  GuessKind kind;
  int match;  // tokens before it that agree
};

// Chooses the draft of one pass among several continuations: the nodes that bring the most expected
// tokens per second by the survival table and the measured cost of rows. It learns from what became
// of the draft, and it never lets the drafts of a whole decode cost more than a hundredth of what
// plain decoding would have taken.
class PricedDraft {
 public:
  explicit PricedDraft(const CostCurve& cost) : cost_(cost) {}

  // Continuations best first; at most `limit` nodes. `context` is the length of what is written so
  // far: rows cost more above a long one.
  DraftTree choose(std::span<const Continuation> continuations, int limit, int context = 0);
  // `written` is the output since choose(), the target's own token included.
  void learn(std::span<const TokenId> written);

  const SurvivalTable& survival() const { return survival_; }

 private:
  struct Node {
    TokenId token;
    int parent;
    GuessKind kind;
    int match;
    bool first;          // its parent's first child: the others only get what it leaves
    double probability;  // that it and all its ancestors stand
    double left;         // of this node's probability, what its children have not taken
  };

  void merge(const Continuation& continuation, int limit);
  int add_child(int parent, TokenId token, GuessKind kind, int match);
  // How many of `by_probability` to verify.
  int best_count(std::span<const int> by_probability) const;

  CostCurve cost_;
  SurvivalTable survival_;
  std::vector<Node> nodes_;  // [0] is the end of the context
  int context_ = 0;          // of the last pass
  int rows_ = 0;             // likewise
  double saved_ = 0;         // seconds against plain decoding so far
  double plain_ = 0;         // seconds that plain decoding would have taken so far
};

}  // namespace redraft
