#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoding/drafting/redraft/pass_pace.h"
#include "decoding/drafting/redraft/redraft_options.h"
#include "decoding/drafting/redraft/source_set.h"
#include "decoding/drafting/redraft/survival_table.h"
#include "support/token.h"

namespace redraft {

// A tree or chain of guesses that grows from the end of a text, always at the likeliest node.
class DraftGrowth {
 public:
  struct Node {
    TokenId token;
    int parent;
    std::optional<GuessKindId> kind;  // nullopt: the end of the text
    int match;
    bool first;  // the likeliest child of its parent; the others share the remaining probability
    double probability;      // that this node and all its ancestors are right
    std::size_t states = 0;  // where its states begin in states_, once it is expanded
    int place = -1;          // its index in the draft made from this tree; -1: not in the draft
  };
  // The end of a text: its last tokens, as many as sources look at. The last `written` tokens of
  // the text are output.
  struct End {
    std::vector<TokenId> tokens;
    std::size_t length = 0;  // of the whole text
    std::size_t written = 0;
    SourceStates states;
  };

  explicit DraftGrowth(DraftShape shape = DraftShape::kTree) : shape_(shape) {}

  void begin(End end);
  // Adds at most `limit` nodes. Stops some time after further nodes cease to pay by `cost`.
  void grow(const SourceSet& sources, const SurvivalTable& survival, const PassPace& cost,
            int limit);

  // Call it when the expected text was written: its end gets the states computed since.
  void arrive(SourceStates states) { end_.states = std::move(states); }

  // [0] is the end of the text.
  std::vector<Node>& nodes() { return nodes_; }
  const Node& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  // Nodes, the likeliest first: every prefix of it is a tree.
  std::vector<int>& order() { return order_; }
  const std::vector<int>& order() const { return order_; }
  const End& end() const { return end_; }
  // The end of the text along the likeliest path through the draft's nodes, plus the likeliest
  // guess after it. No tokens: nothing is likely enough, or the sources cannot foresee their
  // guesses there.
  struct Expected {
    std::vector<TokenId> tokens;  // after end()
    End end;
  };
  Expected expected(const SourceSet& sources, const SurvivalTable& survival) const;

 private:
  void expand(int node, const SourceSet& sources, const SurvivalTable& survival);
  Tail tail_of(int node);
  void rate_guesses(const SurvivalTable& survival);
  void add_children(int node, const SurvivalTable& survival);

  DraftShape shape_;
  End end_;
  std::vector<Node> nodes_;
  std::vector<std::byte> states_;  // of the expanded nodes
  std::vector<int> order_;
  std::vector<Guess> guesses_;
  std::vector<std::pair<double, int>> likeliest_;  // (minus probability, index in guesses_)
  std::vector<TokenId> tail_;  // up to tail_node_, which is at depth tail_depth_
  int tail_node_ = -1;
  std::size_t tail_depth_ = 0;
};

}  // namespace redraft
