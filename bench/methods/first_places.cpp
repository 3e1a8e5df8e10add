#include "bench/methods/first_places.h"

#include <algorithm>

#include "bench/methods/token_hash.h"

namespace redraft {
void FirstPlaces::absorb(std::span<const TokenId> text) {
  places_.reserve(text.size());
  for (std::size_t end = std::max(absorbed_ + 1, length_); end <= text.size(); ++end) {
    const std::size_t begin = end - length_;
    places_.try_emplace(hash_of_tokens(text.subspan(begin, length_)), begin);
  }
  absorbed_ = text.size();
}

std::optional<std::size_t> FirstPlaces::of_end(std::span<const TokenId> text) const {
  if (text.size() < length_) return std::nullopt;
  return of(text.last(length_), text);
}

std::optional<std::size_t> FirstPlaces::of(std::span<const TokenId> run,
                                           std::span<const TokenId> text) const {
  const auto place = places_.find(hash_of_tokens(run));
  if (place == places_.end()) return std::nullopt;
  const auto first = text.subspan(place->second, length_);
  if (!std::equal(first.begin(), first.end(), run.begin())) return std::nullopt;
  return place->second;
}

}  // namespace redraft
