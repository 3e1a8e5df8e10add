// How many continuations become one draft
//
// A datastore returns every text that followed the end of the context. Verifying each of them would
// repeat their common beginnings, and most rows would go to texts that occurred once. So the
// continuations are merged into a trie, every node counts the occurrences that pass through it, and
// the heaviest nodes are verified.
//
// An example. The repository, whose occurrences count 1, has "a b" and "a c"; common code, whose
// occurrences count .5, has "a b" and "d". The limit is three nodes:
//
//   a      1 + 1 + .5 = 2.5   kept
//   a b    1 + .5     = 1.5   kept
//   a c                 1     kept
//   d                    .5   not kept

#include "bench/methods/retrieval_tree.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace redraft {
namespace {

struct Continuation {
  std::span<const TokenId> tokens;
  double weight;
};

struct Node {
  TokenId token;
  int parent;
  int depth;
  double weight;
};

std::vector<Continuation> weighed(const WeighedContinuations& continuations) {
  std::vector<Continuation> list;
  list.reserve(continuations.found.tokens.size());
  for (const auto& tokens : continuations.found.tokens)
    list.push_back({tokens, continuations.weight});
  return list;
}

// Continuations are sorted by their tokens, so each shares its beginning with the previous one or
// with none. Only the path to the previous one has to be checked.
std::vector<Node> trie_of(std::span<const Continuation> continuations) {
  std::vector<Node> nodes;
  std::vector<int> path;  // to the end of the last continuation
  std::span<const TokenId> last;
  for (const auto& [tokens, weight] : continuations) {
    const auto parted = std::mismatch(tokens.begin(), tokens.end(), last.begin(), last.end());
    path.resize(static_cast<std::size_t>(parted.first - tokens.begin()));
    for (const int node : path) nodes[node].weight += weight;
    for (std::size_t depth = path.size(); depth < tokens.size(); ++depth) {
      nodes.push_back(
          {tokens[depth], path.empty() ? -1 : path.back(), static_cast<int>(depth), weight});
      path.push_back(static_cast<int>(nodes.size()) - 1);
    }
    last = tokens;
  }
  return nodes;
}

}  // namespace

DraftTree retrieval_tree(const WeighedContinuations& first, const WeighedContinuations& second,
                         int most, DraftOrigin origin) {
  const auto a = weighed(first);
  const auto b = weighed(second);
  std::vector<Continuation> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [](const Continuation& x, const Continuation& y) {
               return std::ranges::lexicographical_compare(x.tokens, y.tokens);
             });
  const std::vector<Node> nodes = trie_of(all);
  std::vector<int> kept(nodes.size());
  std::iota(kept.begin(), kept.end(), 0);
  // A node weighs at least as much as its children and is nearer the root, so the ancestors of
  // every kept node are kept too.
  const auto before = [&](int x, int y) {
    if (nodes[x].weight != nodes[y].weight) return nodes[x].weight > nodes[y].weight;
    return nodes[x].depth != nodes[y].depth ? nodes[x].depth < nodes[y].depth : x < y;
  };
  const auto count = std::min(kept.size(), static_cast<std::size_t>(std::max(most, 0)));
  std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count), kept.end(),
                   before);
  kept.resize(count);
  std::sort(kept.begin(), kept.end());  // ancestors first
  DraftTree tree;
  std::vector<int> index(nodes.size(), -1);
  for (const int node : kept) {
    const int parent = nodes[node].parent;
    index[node] = tree.add(nodes[node].token, parent < 0 ? -1 : index[parent], origin);
  }
  return tree;
}

}  // namespace redraft
