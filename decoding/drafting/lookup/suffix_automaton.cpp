#include "decoding/drafting/lookup/suffix_automaton.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr int kMaxUpdates = 32;     // suffixes of the text that record a new token, longest first
constexpr int kMaxSuccessors = 64;  // successors examined after one suffix
constexpr std::size_t kFirstSlots = 64;

template <typename T>
void push(std::vector<T>& to, const T& value) {
  // Doubling would leave up to half of the memory unused.
  if (to.size() == to.capacity()) to.reserve(to.size() + to.size() / 4 + 16);
  to.push_back(value);
}

}  // namespace

SuffixAutomaton::SuffixAutomaton() : states_(1), slots_(kFirstSlots, -1) {}

std::size_t SuffixAutomaton::bytes() const {
  return states_.capacity() * sizeof(State) + edges_.capacity() * sizeof(Edge) +
         (slots_.capacity() + copied_.capacity()) * sizeof(std::int32_t);
}

void SuffixAutomaton::append(TokenId token) {
  const std::int32_t added = add_state({.length = size_ + 1});
  std::int32_t from = whole_;
  for (; from >= 0 && find(from, token) < 0; from = states_[from].link)
    add_edge(from, token, added);
  if (from < 0) {
    states_[added].link = 0;
  } else {
    link_new(added, from, token);
  }
  whole_ = added;
  std::int32_t state = added;
  for (int i = 0; i < kMaxUpdates && state > 0; ++i, state = states_[state].link) {
    states_[state].last = size_;
    ++states_[state].count;
  }
  ++size_;
}

// `from` is the longest suffix of the text before `token` that was followed by `token` before.
void SuffixAutomaton::link_new(std::int32_t added, std::int32_t from, TokenId token) {
  const std::int32_t known = edges_[find(from, token)].to;
  const std::int32_t length = states_[from].length + 1;
  if (states_[known].length == length) {
    states_[added].link = known;
    return;
  }
  // `known` also represents longer suffixes, which do not occur here: the shorter ones get their
  // own state.
  const std::int32_t shorter = clone(known, length);
  for (; from >= 0; from = states_[from].link) {
    const std::int32_t edge = find(from, token);
    if (edge < 0 || edges_[edge].to != known) break;
    edges_[edge].to = shorter;
  }
  states_[known].link = states_[added].link = shorter;
}

std::int32_t SuffixAutomaton::clone(std::int32_t state, std::int32_t length) {
  State copy = states_[state];
  copy.length = length;
  copy.edges = -1;
  const std::int32_t added = add_state(copy);
  copied_.clear();
  for (std::int32_t edge = states_[state].edges; edge >= 0; edge = edges_[edge].next)
    copied_.push_back(edge);
  for (auto edge = copied_.rbegin(); edge != copied_.rend(); ++edge)
    add_edge(added, edges_[*edge].token, edges_[*edge].to);
  return added;
}

SuffixAutomaton::Cursor SuffixAutomaton::end() const {
  if (whole_ == 0) return {};
  const std::int32_t link = states_[whole_].link;
  return {link, states_[link].length};
}

SuffixAutomaton::Cursor SuffixAutomaton::advance(Cursor cursor, TokenId token) const {
  for (;;) {
    const std::int32_t edge = find(cursor.state, token);
    if (edge >= 0) return {edges_[edge].to, cursor.length + 1};
    if (cursor.state == 0) return {};
    cursor.state = states_[cursor.state].link;
    cursor.length = states_[cursor.state].length;
  }
}

void SuffixAutomaton::find_next(Cursor cursor, int most, std::vector<Next>& found) const {
  const auto before = static_cast<std::ptrdiff_t>(found.size());
  while (cursor.length > 0) {
    const auto longer = static_cast<std::ptrdiff_t>(found.size());
    int looked_at = 0;
    for (std::int32_t edge = states_[cursor.state].edges; edge >= 0 && looked_at < kMaxSuccessors;
         edge = edges_[edge].next, ++looked_at) {
      const TokenId token = edges_[edge].token;
      const State& to = states_[edges_[edge].to];
      const bool known = std::any_of(found.begin() + before, found.begin() + longer,
                                     [&](const Next& other) { return other.token == token; });
      if (!known) found.push_back({token, cursor.length, to.count, to.last});
    }
    std::sort(found.begin() + longer, found.end(),
              [](const Next& a, const Next& b) { return a.last > b.last; });
    if (std::ssize(found) - before >= most) break;
    cursor.state = states_[cursor.state].link;
    cursor.length = states_[cursor.state].length;
  }
  found.resize(std::min(found.size(), static_cast<std::size_t>(before + most)));
}

std::int32_t SuffixAutomaton::add_state(const State& state) {
  push(states_, state);
  return static_cast<std::int32_t>(states_.size()) - 1;
}

std::size_t SuffixAutomaton::slot(std::int32_t from, TokenId token) const {
  std::uint64_t hash = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32) |
                       static_cast<std::uint32_t>(token);
  hash *= 0x9e3779b97f4a7c15ULL;
  std::size_t at = (hash ^ (hash >> 32)) & (slots_.size() - 1);
  for (;; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at] < 0) return at;
    const Edge& edge = edges_[slots_[at]];
    if (edge.from == from && edge.token == token) return at;
  }
}

std::int32_t SuffixAutomaton::find(std::int32_t from, TokenId token) const {
  return slots_[slot(from, token)];
}

void SuffixAutomaton::add_edge(std::int32_t from, TokenId token, std::int32_t to) {
  if ((edges_.size() + 1) * 4 > slots_.size() * 3) grow_slots();
  slots_[slot(from, token)] = static_cast<std::int32_t>(edges_.size());
  push(edges_, Edge{from, token, to, states_[from].edges});
  states_[from].edges = static_cast<std::int32_t>(edges_.size()) - 1;
}

void SuffixAutomaton::grow_slots() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t edge = 0; edge < edges_.size(); ++edge)
    slots_[slot(edges_[edge].from, edges_[edge].token)] = static_cast<std::int32_t>(edge);
}

}  // namespace redraft
