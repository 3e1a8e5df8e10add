#include "decoding/drafting/priced_draft.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "decoding/chunk_sizer.h"

namespace redraft {
namespace {

constexpr double kLeastProbability = 0.01;
// What drafts may cost in all: a share of plain decoding, and to begin with a part of one plain
// step, more of it for a draft whose first token is nearly certain. Less of it would keep sources
// from showing what they are worth.
constexpr double kShareAtRisk = 0.01;
constexpr double kFirstRisk = 0.1;
constexpr double kSureRisk = 0.5;
constexpr double kSureProbability = 0.9;
// A cancel waits for the pass under way: drafts make it no longer than a chunk, or than so many
// plain steps.
constexpr double kMostSteps = 3;
// A tree is grown so far beyond the best size so far, in case rows get cheaper again.
constexpr int kLookAhead = 16;

}  // namespace

DraftTree PricedDraft::choose(const Guesser& guesser, const GuessState& state,
                              std::span<const TokenId> context, std::size_t prompt_size,
                              int limit) {
  context_ = context;
  prompt_size_ = prompt_size;
  context_length_ = static_cast<int>(context.size());
  nodes_.assign(1, {.token = -1,
                    .parent = -1,
                    .kind = {},
                    .match = 0,
                    .first = true,
                    .probability = 1,
                    .state = state});
  grow(guesser, std::min(limit, max_nodes_));
  order_.resize(static_cast<std::size_t>(best_count()));
  DraftTree draft;
  for (const int node : order_) {
    Node& chosen = nodes_[static_cast<std::size_t>(node)];
    const int parent =
        chosen.parent == 0 ? -1 : nodes_[static_cast<std::size_t>(chosen.parent)].place;
    chosen.place = draft.add(chosen.token, parent, origin_of(chosen.kind));
  }
  rows_ = 1 + draft.size();
  context_ = {};
  return draft;
}

void PricedDraft::grow(const Guesser& guesser, int limit) {
  const auto less_likely = [this](int a, int b) {
    const double of_a = nodes_[static_cast<std::size_t>(a)].probability;
    const double of_b = nodes_[static_cast<std::size_t>(b)].probability;
    return of_a != of_b ? of_a < of_b : a > b;
  };
  std::priority_queue<int, std::vector<int>, decltype(less_likely)> open(less_likely);
  order_.clear();
  double tokens = 1;
  double best_rate = tokens / cost_.seconds(1, context_length_);
  int best = 0;
  for (int node = 0; std::ssize(order_) < std::min(limit, 2 * best + kLookAhead);) {
    const auto known = nodes_.size();
    expand(node, guesser);
    for (std::size_t child = known; child < nodes_.size(); ++child)
      open.push(static_cast<int>(child));
    if (open.empty()) return;
    node = open.top();
    open.pop();
    order_.push_back(node);
    tokens += nodes_[static_cast<std::size_t>(node)].probability;
    const double rate =
        tokens / cost_.seconds(1 + static_cast<int>(order_.size()), context_length_);
    if (rate > best_rate) {
      best_rate = rate;
      best = static_cast<int>(order_.size());
    }
  }
}

void PricedDraft::expand(int node, const Guesser& guesser) {
  const Tail tail = tail_of(node, guesser.tail_length());
  if (node > 0) {
    const auto parent = static_cast<std::size_t>(nodes_[static_cast<std::size_t>(node)].parent);
    nodes_[static_cast<std::size_t>(node)].state = guesser.advance(nodes_[parent].state, tail);
  }
  guesses_.clear();
  guesser.add_guesses(nodes_[static_cast<std::size_t>(node)].state, tail, guesses_);
  add_children(node);
}

// The branch's tokens, and as many before it as there is room for.
Tail PricedDraft::tail_of(int node, int length) {
  tail_.assign(static_cast<std::size_t>(length), 0);
  std::size_t begin = tail_.size();
  std::size_t in_branch = 0;
  for (; node > 0 && begin > 0; node = nodes_[static_cast<std::size_t>(node)].parent) {
    tail_[--begin] = nodes_[static_cast<std::size_t>(node)].token;
    ++in_branch;
  }
  const std::size_t before = std::min(begin, context_.size());
  std::copy_n(context_.end() - static_cast<std::ptrdiff_t>(before), before,
              tail_.begin() + static_cast<std::ptrdiff_t>(begin - before));
  const auto tokens = std::span(tail_).subspan(begin - before);
  const std::size_t written = context_.size() - prompt_size_;
  return {tokens, tokens.last(std::min(tokens.size(), in_branch + written))};
}

// Each gets its share of what the likelier ones before it have left.
void PricedDraft::add_children(int node) {
  const auto likelihood = [this](const Guess& guess) {
    return survival_.probability(guess.kind, guess.match, true);
  };
  std::stable_sort(guesses_.begin(), guesses_.end(),
                   [&](const Guess& a, const Guess& b) { return likelihood(a) > likelihood(b); });
  double left = nodes_[static_cast<std::size_t>(node)].probability;
  const std::size_t first = nodes_.size();
  for (const Guess& guess : guesses_) {
    const bool known =
        std::any_of(nodes_.begin() + static_cast<std::ptrdiff_t>(first), nodes_.end(),
                    [&guess](const Node& other) { return other.token == guess.token; });
    if (known) continue;
    const double probability =
        left * survival_.probability(guess.kind, guess.match, nodes_.size() == first);
    if (probability < kLeastProbability) return;
    left -= probability;
    nodes_.push_back(
        {guess.token, node, guess.kind, guess.match, nodes_.size() == first, probability});
  }
}

int PricedDraft::best_count() {
  const double plain_step = cost_.seconds(1, context_length_);
  const bool sure = !order_.empty() &&
                    nodes_[static_cast<std::size_t>(order_.front())].probability > kSureProbability;
  const double at_risk = plain_step * (sure ? kSureRisk : kFirstRisk);
  const double affordable = plain_step + at_risk + saved_ + kShareAtRisk * plain_;
  const double longest = std::max(kLongestChunkSeconds, kMostSteps * plain_step);
  double tokens = 1;
  double best_rate = tokens / plain_step;
  int best = 0;
  for (int count = 1; count <= static_cast<int>(order_.size()); ++count) {
    const double seconds = cost_.seconds(1 + count, context_length_);
    if (seconds > affordable || seconds > longest) break;
    tokens +=
        nodes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(count) - 1])].probability;
    if (tokens / seconds > best_rate) {
      best_rate = tokens / seconds;
      best = count;
    }
  }
  rate_ = best_rate;
  return best;
}

void PricedDraft::learn(std::span<const TokenId> written) {
  if (rows_ == 0) return;
  const double worth = cost_.seconds(1, context_length_) * static_cast<double>(written.size());
  plain_ += worth;
  saved_ += worth - cost_.seconds(rows_, context_length_);
  rows_ = 0;
  int at = 0;
  for (const TokenId token : written) {
    int next = -1;
    for (const int node : order_) {
      const Node& child = nodes_[static_cast<std::size_t>(node)];
      if (child.parent != at || next >= 0) continue;
      survival_.observe(child.kind, child.match, child.first, child.token == token);
      if (child.token == token) next = node;
    }
    if (next < 0) return;
    at = next;
  }
}

}  // namespace redraft
