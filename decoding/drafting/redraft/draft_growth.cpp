// Why a tree grows guess by guess
//
// The sources disagree, and each is right in different places. So a draft does not take the text of
// one source. At the end of the output, and again at the end of every branch, all sources guess one
// token, and the branch grows by these guesses. A branch that began with a copy may continue with
// the original, and then with indentation.
//
// An example. The probability of a guess is the probability that it is right if all likelier
// guesses for its place are wrong. At the end of the output, a copy gives "foo", .8, and the
// original gives "bar", .4 for a guess that is not the likeliest. After "foo" all sources agree on
// "(", .9; after that come "x", .5, and ")", .3; after those no source has a guess:
//
//   foo        .8
//   bar        .4 of the .2 that "foo" left = .08
//   foo (      .8 * .9 = .72, that it and its parent are right
//   foo ( x    .72 * .5 = .36
//   foo ( )    .3 of the .36 that "x" left = .108
//
// The likeliest open node is always expanded next, so the order is foo, (, x, ), bar. A child is
// never likelier than its parent, so every beginning of the order is a tree, and PricedDraft
// decides how much of it is verified. Each accepted node adds one token to the output: the pass is
// expected to yield 1 + .8 + .72 + .36 + ... tokens, where the 1 is the target's own.
//
// Growth ends when no node is likely enough, or at sixteen nodes more than twice the size that has
// paid best so far by the cost of rows. It looks that far ahead because rows may get cheaper again
// beyond a step in their cost.

#include "decoding/drafting/redraft/draft_growth.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace redraft {
namespace {

constexpr double kMinProbability = 0.01;
// How far a tree grows beyond the best size so far, in case rows get cheaper again.
constexpr int kLookAhead = 16;
// look_ahead() does not prepare for a text that is less likely than this.
constexpr double kMinExpected = 0.1;

}  // namespace

void DraftGrowth::begin(End end) {
  end_ = std::move(end);
  order_.clear();
  tail_node_ = -1;
  states_.assign(end_.states.begin(), end_.states.end());
  nodes_.assign(1, {.token = -1,
                    .parent = -1,
                    .kind = std::nullopt,
                    .match = 0,
                    .first = true,
                    .probability = 1});
}

void DraftGrowth::grow(const SourceSet& sources, const SurvivalTable& survival,
                       const PassPace& cost, int limit) {
  const auto less_likely = [this](int a, int b) {
    const double of_a = node(a).probability;
    const double of_b = node(b).probability;
    return of_a != of_b ? of_a < of_b : a > b;
  };
  std::priority_queue<int, std::vector<int>, decltype(less_likely)> open(less_likely);
  const int context = static_cast<int>(end_.length);
  double tokens = 1;
  double best_rate = tokens / cost.seconds(1, context);
  int best = 0;
  for (int next = 0; std::ssize(order_) < std::min(limit, 2 * best + kLookAhead);) {
    const auto known = nodes_.size();
    expand(next, sources, survival);
    for (std::size_t child = known; child < nodes_.size(); ++child)
      open.push(static_cast<int>(child));
    if (open.empty()) return;
    next = open.top();
    open.pop();
    order_.push_back(next);
    tokens += node(next).probability;
    const double rate = tokens / cost.seconds(1 + static_cast<int>(order_.size()), context);
    if (rate > best_rate) {
      best_rate = rate;
      best = static_cast<int>(order_.size());
    }
  }
}

void DraftGrowth::expand(int node, const SourceSet& sources, const SurvivalTable& survival) {
  const Tail tail = tail_of(node);
  Node& own = nodes_[static_cast<std::size_t>(node)];
  if (node > 0) {
    own.states = states_.size();
    states_.resize(own.states + sources.state_bytes());
    sources.advance(states_.data() + this->node(own.parent).states, tail,
                    states_.data() + own.states);
  }
  const std::byte* const states = states_.data() + own.states;
  guesses_.clear();
  likeliest_.clear();
  sources.add_guesses(states, tail, guesses_);
  rate_guesses(survival);
  double left = own.probability;  // the probability that the likelier guesses leave
  for (const auto& [likelihood, index] : likeliest_)
    left = std::min(left, own.probability * (1 + likelihood));
  if (left >= kMinProbability) {
    sources.add_unlikely_guesses(states, tail, guesses_);
    rate_guesses(survival);
  }
  add_children(node, survival);
}

// Rates the guesses added since the last call.
void DraftGrowth::rate_guesses(const SurvivalTable& survival) {
  for (std::size_t i = likeliest_.size(); i < guesses_.size(); ++i) {
    const Guess& guess = guesses_[i];
    likeliest_.emplace_back(-survival.probability(guess.kind, guess.match, true),
                            static_cast<int>(i));
  }
}

// The branch's tokens, preceded by as many earlier tokens as fit. Usually the branch is that of the
// node expanded last, plus one token.
Tail DraftGrowth::tail_of(int node) {
  if (node > 0 && this->node(node).parent == tail_node_) {
    if (tail_.size() == Branch::kTokens) tail_.erase(tail_.begin());
    tail_.push_back(this->node(node).token);
    ++tail_depth_;
  } else {
    tail_.clear();
    tail_depth_ = 0;
    for (int at = node; at > 0; at = this->node(at).parent, ++tail_depth_) {
      if (tail_.size() < Branch::kTokens) tail_.push_back(this->node(at).token);
    }
    const std::size_t before = std::min(Branch::kTokens - tail_.size(), end_.tokens.size());
    tail_.insert(tail_.end(), end_.tokens.rbegin(),
                 end_.tokens.rbegin() + static_cast<std::ptrdiff_t>(before));
    std::ranges::reverse(tail_);
  }
  tail_node_ = node;
  return {tail_, std::span(tail_).last(std::min(tail_.size(), tail_depth_ + end_.written))};
}

// Each child gets its share of the probability that the likelier ones left.
void DraftGrowth::add_children(int node, const SurvivalTable& survival) {
  std::ranges::sort(likeliest_);  // among equally likely ones, the order of the sources
  double left = this->node(node).probability;
  const std::size_t first = nodes_.size();
  for (const auto& [likelihood, index] : likeliest_) {
    const Guess& guess = guesses_[static_cast<std::size_t>(index)];
    const bool known =
        std::any_of(nodes_.begin() + static_cast<std::ptrdiff_t>(first), nodes_.end(),
                    [&guess](const Node& other) { return other.token == guess.token; });
    if (known) continue;
    const bool is_first = nodes_.size() == first;
    const double own =
        is_first ? -likelihood : survival.probability(guess.kind, guess.match, false);
    const double probability = left * own;
    if (probability < kMinProbability) return;
    left -= probability;
    nodes_.push_back({guess.token, node, guess.kind, guess.match, is_first, probability});
    if (shape_ == DraftShape::kChain) return;
  }
}

// Recomputes the states from the end of the text: the states stored with nodes may be older than
// what was written since.
DraftGrowth::Expected DraftGrowth::expected(const SourceSet& sources,
                                            const SurvivalTable& survival) const {
  Expected expected;
  double probability = 1;
  int at = 0;
  for (const int index : order_) {  // a node's likeliest child comes before its other children
    const Node& next = node(index);
    if (next.parent != at) continue;
    expected.tokens.push_back(next.token);
    probability = next.probability;
    at = index;
  }
  std::vector<TokenId> text = end_.tokens;
  SourceStates states = end_.states;
  SourceStates next_states(states.size());
  Tail tail;
  const auto follow = [&](TokenId token) {
    text.push_back(token);
    const auto tokens = std::span(text).last(std::min(text.size(), Branch::kTokens));
    const std::size_t written = end_.written + text.size() - end_.tokens.size();
    tail = {tokens, tokens.last(std::min(tokens.size(), written))};
    sources.advance(states.data(), tail, next_states.data());
    states.swap(next_states);
  };
  for (const TokenId token : expected.tokens) follow(token);
  if (expected.tokens.empty()) {
    tail = {end_.tokens, std::span(end_.tokens).last(std::min(end_.tokens.size(), end_.written))};
  }
  std::vector<Guess> guesses;
  sources.add_guesses(states.data(), tail, guesses);
  const Guess* likeliest = nullptr;
  double most = kMinExpected / probability;
  for (const Guess& guess : guesses) {
    const double own = survival.probability(guess.kind, guess.match, true);
    if (own <= most) continue;
    most = own;
    likeliest = &guess;
  }
  if (!likeliest) return {};
  const TokenId last = likeliest->token;
  expected.tokens.push_back(last);
  follow(last);
  if (!sources.foresees(states.data(), tail)) return {};
  expected.end = {.tokens = {tail.tokens.begin(), tail.tokens.end()},
                  .length = end_.length + expected.tokens.size(),
                  .written = end_.written + expected.tokens.size(),
                  .states = std::move(states)};
  return expected;
}

}  // namespace redraft
