#include "bench/methods/continuation_cache.h"

#include <algorithm>

#include "bench/methods/token_hash.h"

namespace redraft {
namespace {

constexpr TokenId kSeparator = -1;  // not a token: every match and continuation ends there

}  // namespace

void ContinuationCache::add(std::span<const TokenId> sequence) {
  if (begins_.size() >= kMaxSequences) forget_older_half();
  append(sequence);
  open_ = open_ || begins_.size() >= opens_at_;
}

void ContinuationCache::append(std::span<const TokenId> sequence) {
  if (tokens_.empty()) tokens_.push_back(kSeparator);
  const std::size_t begin = tokens_.size();
  begins_.push_back(begin);
  tokens_.insert(tokens_.end(), sequence.begin(), sequence.end());
  for (std::size_t place = begin + shortest_; place < tokens_.size(); ++place) {
    const auto key = std::span(tokens_).subspan(place - shortest_, shortest_);
    places_[hash_of_tokens(key)].push_back(static_cast<std::uint32_t>(place));
  }
  tokens_.push_back(kSeparator);
}

void ContinuationCache::forget_older_half() {
  const std::vector<TokenId> tokens = std::move(tokens_);
  const std::vector<std::size_t> begins = std::move(begins_);
  tokens_.clear();
  begins_.clear();
  places_.clear();
  for (std::size_t i = begins.size() / 2; i < begins.size(); ++i) {
    const std::size_t end = (i + 1 < begins.size() ? begins[i + 1] : tokens.size()) - 1;
    append(std::span(tokens).subspan(begins[i], end - begins[i]));
  }
}

Continuations ContinuationCache::continuations(std::span<const TokenId> context,
                                               const ContinuationQuery& query) const {
  Continuations found;
  if (!open() || context.size() < shortest_) return found;
  const auto places = places_.find(hash_of_tokens(context.last(shortest_)));
  if (places == places_.end()) return found;
  for (std::size_t i = places->second.size(); i-- > 0;) {
    const std::size_t place = places->second[i];
    const int length = match_length(context, place, query.longest);
    if (length < query.shortest || length < found.matched) continue;
    if (length > found.matched) found.tokens.clear();
    found.matched = length;
    if (std::ssize(found.tokens) < query.most)
      found.tokens.push_back(text_after(place, query.length));
  }
  std::sort(found.tokens.begin(), found.tokens.end(), [](const auto& a, const auto& b) {
    return std::ranges::lexicographical_compare(a, b);
  });
  return found;
}

int ContinuationCache::match_length(std::span<const TokenId> context, std::size_t place,
                                    int longest) const {
  const int most = std::min(longest, static_cast<int>(context.size()));
  int length = 0;
  while (length < most && tokens_[place - 1 - length] == context[context.size() - 1 - length])
    ++length;
  return length;
}

std::span<const TokenId> ContinuationCache::text_after(std::size_t place, int length) const {
  std::size_t end = place;
  while (end < place + static_cast<std::size_t>(length) && tokens_[end] != kSeparator) ++end;
  return std::span(tokens_).subspan(place, end - place);
}

}  // namespace redraft
