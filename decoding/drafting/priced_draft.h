#pragma once

#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/drafting/guess.h"
#include "decoding/drafting/pass_pace.h"
#include "decoding/drafting/survival_table.h"
#include "support/token.h"

namespace redraft {

// Grows the draft of one pass guess by guess, the likeliest next, and cuts it to the nodes that
// bring the most expected tokens per second by the survival table and the measured cost of rows. It
// learns from what became of the draft, and it never lets the drafts of a whole decode cost more
// than a hundredth of what plain decoding would have taken.
class PricedDraft {
 public:
  // At most `max_nodes` nodes a pass. `cost` outlives this.
  PricedDraft(const PassPace& cost, int max_nodes) : cost_(cost), max_nodes_(max_nodes) {}

  // At most `limit` nodes after `context`, of which the tokens from `prompt_size` on are output;
  // `state` is that of its end.
  DraftTree choose(const Guesser& guesser, const GuessState& state,
                   std::span<const TokenId> context, std::size_t prompt_size, int limit);
  // What the last choose() promises: tokens a second, with the target's own.
  double rate() const { return rate_; }
  // Seconds that were spent on the draft beside the pass.
  void charge(double seconds) { saved_ -= seconds; }
  // `written` is the output since choose(), the target's own token included.
  void learn(std::span<const TokenId> written);

 private:
  struct Node {
    TokenId token;
    int parent;
    GuessKind kind;
    int match;
    bool first;          // its parent's likeliest child: the others only get what it leaves
    double probability;  // that it and all its ancestors stand
    GuessState state{};
    int place = -1;  // in the draft; -1: not verified, so nothing is learned about it
  };

  void grow(const Guesser& guesser, int limit);
  void expand(int node, const Guesser& guesser);
  Tail tail_of(int node, int length);
  void add_children(int node);
  // How many of the nodes in order_ to verify.
  int best_count();

  const PassPace& cost_;
  int max_nodes_;
  SurvivalTable survival_;
  std::span<const TokenId> context_;  // of the last pass
  std::size_t prompt_size_ = 0;
  std::vector<Node> nodes_;  // [0] is the end of the context
  std::vector<int> order_;   // likeliest first: any beginning of it is a tree
  std::vector<Guess> guesses_;
  std::vector<TokenId> tail_;
  int context_length_ = 0;
  int rows_ = 0;  // of the last pass; 0: learned from
  double rate_ = 0;
  double saved_ = 0;  // seconds against plain decoding so far
  double plain_ = 0;  // seconds that plain decoding would have taken so far
};

}  // namespace redraft
