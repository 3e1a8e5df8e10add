#include "bench/methods/phrase_pool.h"

#include <algorithm>

namespace redraft {

void PhrasePool::add(TokenId token, std::span<const TokenId> phrase) {
  const auto [entry, is_new] = phrases_.try_emplace(token);
  std::vector<std::vector<TokenId>>& known = entry->second;
  const auto same = std::ranges::find_if(
      known, [&](const auto& each) { return std::ranges::equal(each, phrase); });
  if (same != known.end()) {
    std::rotate(same, same + 1, known.end());
    return;
  }
  if (known.size() == per_token_) known.erase(known.begin());
  known.emplace_back(phrase.begin(), phrase.end());
  if (!is_new) return;
  tokens_.push_back(token);
  if (tokens_.size() <= kMaxTokens) return;
  phrases_.erase(tokens_.front());
  tokens_.pop_front();
}

std::span<const std::vector<TokenId>> PhrasePool::after(TokenId token) const {
  const auto entry = phrases_.find(token);
  if (entry == phrases_.end()) return {};
  return entry->second;
}

void add_phrases(DraftTree& tree, int parent, std::span<const std::vector<TokenId>> phrases,
                 int most, DraftOrigin origin, int limit) {
  const int first = tree.size();
  const auto child_of = [&](int node, TokenId token) {
    for (int child = first; child < tree.size(); ++child) {
      if (tree.parents()[child] == node && tree.tokens()[child] == token) return child;
    }
    return -1;
  };
  const std::size_t oldest =
      phrases.size() - std::min(phrases.size(), static_cast<std::size_t>(most));
  for (std::size_t i = phrases.size(); i-- > oldest;) {
    int at = parent;
    for (const TokenId token : phrases[i]) {
      int child = child_of(at, token);
      if (child < 0) {
        if (tree.size() >= limit) return;
        child = tree.add(token, at, origin);
      }
      at = child;
    }
  }
}

}  // namespace redraft
