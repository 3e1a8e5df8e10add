#include "decoding/drafting/priced_draft.h"

#include <algorithm>
#include <numeric>

#include "decoding/chunk_sizer.h"

namespace redraft {
namespace {

constexpr int kMostNodes = 512;
constexpr double kLeastProbability = 0.01;
// What drafts may cost in all: a share of plain decoding, and this much of one plain step to begin
// with.
constexpr double kShareAtRisk = 0.01;
constexpr double kFirstRisk = 0.5;
// A cancel waits for the pass under way: drafts make it no longer than a chunk, or than so many
// plain steps.
constexpr double kMostSteps = 3;

}  // namespace

DraftTree PricedDraft::choose(std::span<const Continuation> continuations, int limit, int context) {
  context_ = context;
  nodes_.assign(1, {.token = -1,
                    .parent = -1,
                    .kind = {},
                    .match = 0,
                    .first = true,
                    .probability = 1,
                    .left = 1});
  for (const Continuation& continuation : continuations) merge(continuation, limit);
  std::vector<int> order(nodes_.size() - 1);
  std::iota(order.begin(), order.end(), 1);
  // A child is never likelier than its parent, so any beginning of this order is a tree.
  std::stable_sort(order.begin(), order.end(),
                   [this](int a, int b) { return nodes_[a].probability > nodes_[b].probability; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(std::max(limit, 0))));
  order.resize(best_count(order));
  std::sort(order.begin(), order.end());

  DraftTree draft;
  std::vector<int> index(nodes_.size(), -1);
  for (const int node : order) {
    const Node& chosen = nodes_[node];
    index[node] = draft.add(chosen.token, index[chosen.parent], origin_of(chosen.kind));
  }
  for (std::size_t node = 1; node < nodes_.size(); ++node) {
    if (index[node] < 0) nodes_[node].token = -1;  // not verified: nothing is learned about it
  }
  rows_ = 1 + draft.size();
  return draft;
}

void PricedDraft::merge(const Continuation& continuation, int limit) {
  const auto tokens = continuation.tokens.first(
      std::min<std::size_t>(continuation.tokens.size(), std::max(limit, 0)));
  int at = 0;
  for (std::size_t depth = 0; depth < tokens.size(); ++depth) {
    const int match = continuation.match + static_cast<int>(depth);
    at = add_child(at, tokens[depth], continuation.kind, match);
    if (at < 0) return;
  }
}

// The existing child with that token or a new one; -1 when it would be too unlikely.
int PricedDraft::add_child(int parent, TokenId token, GuessKind kind, int match) {
  bool first = true;
  for (int node = parent + 1; node < static_cast<int>(nodes_.size()); ++node) {
    if (nodes_[node].parent != parent) continue;
    if (nodes_[node].token == token) return node;
    first = false;
  }
  const double probability = nodes_[parent].left * survival_.probability(kind, match);
  if (probability < kLeastProbability || static_cast<int>(nodes_.size()) > kMostNodes) return -1;
  nodes_[parent].left -= probability;
  nodes_.push_back({token, parent, kind, match, first, probability, probability});
  return static_cast<int>(nodes_.size()) - 1;
}

int PricedDraft::best_count(std::span<const int> by_probability) const {
  const double plain_step = cost_.seconds(1, context_);
  const double affordable = plain_step * (1 + kFirstRisk) + saved_ + kShareAtRisk * plain_;
  const double longest = std::max(kLongestChunkSeconds, kMostSteps * plain_step);
  double tokens = 1;
  double best_rate = tokens / plain_step;
  int best = 0;
  for (int count = 1; count <= static_cast<int>(by_probability.size()); ++count) {
    const double seconds = cost_.seconds(1 + count, context_);
    if (seconds > affordable || seconds > longest) break;
    tokens += nodes_[by_probability[count - 1]].probability;
    if (tokens / seconds > best_rate) {
      best_rate = tokens / seconds;
      best = count;
    }
  }
  return best;
}

void PricedDraft::learn(std::span<const TokenId> written) {
  if (rows_ == 0) return;
  const double worth = cost_.seconds(1, context_) * static_cast<double>(written.size());
  plain_ += worth;
  saved_ += worth - cost_.seconds(rows_, context_);
  rows_ = 0;
  int at = 0;
  for (const TokenId token : written) {
    int next = -1;
    for (int node = at + 1; node < static_cast<int>(nodes_.size()); ++node) {
      const Node& child = nodes_[node];
      if (child.parent != at || child.token < 0) continue;
      if (child.first) survival_.observe(child.kind, child.match, child.token == token);
      if (child.token == token) next = node;
    }
    if (next < 0) return;
    at = next;
  }
}

}  // namespace redraft
