#include "decoding/drafting/redraft/draft_growth.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace redraft {
namespace {

constexpr double kMinProbability = 0.01;
// A tree is grown so far beyond the best size so far, in case rows get cheaper again.
constexpr int kLookAhead = 16;
// Text that is less likely than this is not prepared for.
constexpr double kMinExpected = 0.1;

}  // namespace

void DraftGrowth::begin(End end) {
  end_ = std::move(end);
  order_.clear();
  tail_node_ = -1;
  nodes_.assign(1, {.token = -1,
                    .parent = -1,
                    .kind = {},
                    .match = 0,
                    .first = true,
                    .probability = 1,
                    .state = end_.state});
}

void DraftGrowth::grow(const Guesser& guesser, const SurvivalTable& survival, const PassPace& cost,
                       int limit) {
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
    expand(next, guesser, survival);
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

void DraftGrowth::expand(int node, const Guesser& guesser, const SurvivalTable& survival) {
  const Tail tail = tail_of(node, guesser.tail_length());
  Node& own = nodes_[static_cast<std::size_t>(node)];
  if (node > 0) own.state = guesser.advance(this->node(own.parent).state, tail);
  guesses_.clear();
  guesser.add_guesses(own.state, tail, guesses_);
  double left = own.probability;  // that the likeliest leaves
  for (const Guess& guess : guesses_)
    left =
        std::min(left, own.probability * (1 - survival.probability(guess.kind, guess.match, true)));
  if (left >= kMinProbability) guesser.add_unlikely_guesses(own.state, tail, guesses_);
  add_children(node, survival);
}

// The branch's tokens, and as many before it as there is room for. Mostly those of the node that
// was expanded before, and one more.
Tail DraftGrowth::tail_of(int node, int length) {
  const auto most = static_cast<std::size_t>(length);
  if (node > 0 && this->node(node).parent == tail_node_) {
    if (tail_.size() == most) tail_.erase(tail_.begin());
    tail_.push_back(this->node(node).token);
    ++tail_depth_;
  } else {
    tail_.clear();
    tail_depth_ = 0;
    for (int at = node; at > 0; at = this->node(at).parent, ++tail_depth_) {
      if (tail_.size() < most) tail_.push_back(this->node(at).token);
    }
    const std::size_t before = std::min(most - tail_.size(), end_.tokens.size());
    tail_.insert(tail_.end(), end_.tokens.rbegin(),
                 end_.tokens.rbegin() + static_cast<std::ptrdiff_t>(before));
    std::ranges::reverse(tail_);
  }
  tail_node_ = node;
  return {tail_, std::span(tail_).last(std::min(tail_.size(), tail_depth_ + end_.written))};
}

// Each gets its share of what the likelier ones before it have left.
void DraftGrowth::add_children(int node, const SurvivalTable& survival) {
  likeliest_.clear();
  for (const Guess& guess : guesses_)
    likeliest_.emplace_back(-survival.probability(guess.kind, guess.match, true),
                            static_cast<int>(likeliest_.size()));
  std::ranges::sort(likeliest_);  // of equally likely ones as they came
  double left = this->node(node).probability;
  const std::size_t first = nodes_.size();
  for (const auto& [likelihood, index] : likeliest_) {
    const Guess& guess = guesses_[static_cast<std::size_t>(index)];
    const bool known =
        std::any_of(nodes_.begin() + static_cast<std::ptrdiff_t>(first), nodes_.end(),
                    [&guess](const Node& other) { return other.token == guess.token; });
    if (known) continue;
    const double probability =
        left * survival.probability(guess.kind, guess.match, nodes_.size() == first);
    if (probability < kMinProbability) return;
    left -= probability;
    nodes_.push_back(
        {guess.token, node, guess.kind, guess.match, nodes_.size() == first, probability});
  }
}

// States are worked out anew from the text's end: those of nodes may be older than what has been
// written since.
DraftGrowth::Expected DraftGrowth::expected(const Guesser& guesser,
                                            const SurvivalTable& survival) const {
  Expected expected;
  double probability = 1;
  int at = 0;
  for (const int index : order_) {  // a node's likeliest child comes before its others
    const Node& next = node(index);
    if (next.parent != at) continue;
    expected.tokens.push_back(next.token);
    probability = next.probability;
    at = index;
  }
  const auto length = static_cast<std::size_t>(guesser.tail_length());
  std::vector<TokenId> text = end_.tokens;
  GuessState state = end_.state;
  Tail tail;
  const auto follow = [&](TokenId token) {
    text.push_back(token);
    const auto tokens = std::span(text).last(std::min(text.size(), length));
    const std::size_t written = end_.written + text.size() - end_.tokens.size();
    tail = {tokens, tokens.last(std::min(tokens.size(), written))};
    state = guesser.advance(state, tail);
  };
  for (const TokenId token : expected.tokens) follow(token);
  if (expected.tokens.empty()) {
    tail = {end_.tokens, std::span(end_.tokens).last(std::min(end_.tokens.size(), end_.written))};
  }
  std::vector<Guess> guesses;
  guesser.add_guesses(state, tail, guesses);
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
  if (!guesser.foresees(state)) return {};
  expected.end = {.tokens = {tail.tokens.begin(), tail.tokens.end()},
                  .length = end_.length + expected.tokens.size(),
                  .written = end_.written + expected.tokens.size(),
                  .state = state};
  return expected;
}

}  // namespace redraft
