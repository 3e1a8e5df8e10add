#include "indexing/memory_datastore.h"

#include <algorithm>
#include <cassert>

#include "indexing/suffix_array.h"

namespace redraft {
namespace {

// Comes before every token: a text that ends is the beginning of those that go on.
constexpr TokenId kSeparator = -1;

}  // namespace

MemoryDatastore::MemoryDatastore(std::span<const std::vector<TokenId>> texts) {
  std::size_t size = texts.size();
  for (const auto& text : texts) size += text.size();
  tokens_.reserve(size);
  for (const auto& text : texts) {
    tokens_.insert(tokens_.end(), text.begin(), text.end());
    tokens_.push_back(kSeparator);
  }
  TokenId highest = kSeparator;
  for (const TokenId token : tokens_) {
    assert(token >= kSeparator);
    highest = std::max(highest, token);
  }
  std::vector<std::int32_t> symbols(tokens_.size());
  std::transform(tokens_.begin(), tokens_.end(), symbols.begin(),
                 [](TokenId token) { return token - kSeparator; });
  suffixes_ = suffix_array(symbols, highest - kSeparator + 1);
  suffixes_.erase(suffixes_.begin(), suffixes_.begin() + static_cast<std::ptrdiff_t>(texts.size()));
  suffixes_.shrink_to_fit();
}

Continuations MemoryDatastore::continuations(std::span<const TokenId> context,
                                             const ContinuationQuery& query) const {
  Continuations found;
  Suffixes best;
  // Where n tokens occur with something after them, fewer do too: halving finds the longest.
  int known = query.shortest - 1;
  int beyond = std::min(query.longest, static_cast<int>(context.size())) + 1;
  for (int length = query.shortest; known + 1 < beyond; length = (known + beyond) / 2) {
    const Suffixes suffixes = find(context.last(static_cast<std::size_t>(length)));
    if (suffixes.empty()) {
      beyond = length;
    } else {
      known = length;
      best = suffixes;
    }
  }
  if (best.empty()) return found;
  found.matched = known;
  const std::size_t count = std::min(best.size(), static_cast<std::size_t>(query.most));
  found.tokens.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place =
        static_cast<std::size_t>(best[i * best.size() / count]) + static_cast<std::size_t>(known);
    found.tokens.push_back(text_after(place, static_cast<std::size_t>(query.length)));
  }
  return found;
}

MemoryDatastore::Suffixes MemoryDatastore::find(std::span<const TokenId> key) const {
  // Separators end every comparison in time: no key holds one.
  const auto compared = [&](std::int32_t suffix) {
    const TokenId* text = tokens_.data() + suffix;
    for (const TokenId token : key) {
      if (*text != token) return *text < token ? -1 : 1;
      ++text;
    }
    return 0;
  };
  const auto goes_on = [&](std::int32_t suffix) {
    return tokens_[static_cast<std::size_t>(suffix) + key.size()] != kSeparator;
  };
  const auto begin = std::partition_point(suffixes_.begin(), suffixes_.end(),
                                          [&](std::int32_t s) { return compared(s) < 0; });
  const auto end = std::partition_point(begin, suffixes_.end(),
                                        [&](std::int32_t s) { return compared(s) == 0; });
  return {std::partition_point(begin, end, [&](std::int32_t s) { return !goes_on(s); }), end};
}

std::span<const TokenId> MemoryDatastore::text_after(std::size_t place, std::size_t length) const {
  std::size_t end = place;
  while (end - place < length && tokens_[end] != kSeparator) ++end;
  return std::span(tokens_).subspan(place, end - place);
}

}  // namespace redraft
