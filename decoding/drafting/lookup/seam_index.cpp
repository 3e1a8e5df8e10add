// How the output finds its way back to the original after an edit
//
// After an edit, text that equals the original may consist of different tokens, and then an index
// of tokens finds nothing. So this index looks up positions by the last three bytes of the output.
// From there it compares backwards, and counts the equal bytes in whole tokens of the original.
//
// An example. The original has the tokens "foo", "_name", " = 1"; the output wrote the same text as
// "foo", "_", "name". The position before " = 1" is preceded by the same bytes "ame", and all of
// "foo_name" is equal: a match of two tokens, so " = 1" is the guess. If the last tokens are equal
// too, SuffixIndex finds the position, and this index omits it.

#include "decoding/drafting/lookup/seam_index.h"

#include <algorithm>
#include <cstddef>

namespace redraft {

SeamIndex::SeamIndex(std::span<const TokenId> original, const Tokenizer* tokenizer)
    : tokenizer_(tokenizer), original_(original.begin(), original.end()) {
  if (!tokenizer_) return;
  begins_.reserve(original.size() + 1);
  for (int place = 0; place < std::ssize(original_); ++place) {
    begins_.push_back(text_.size());
    if (text_.size() >= kKey) places_[key_before(text_)].push_back(place);
    text_ += tokenizer_->bytes(original_[static_cast<std::size_t>(place)]);
  }
  begins_.push_back(text_.size());
}

std::uint32_t SeamIndex::key_before(std::string_view text) {
  std::uint32_t key = 0;
  for (const char c : text.substr(text.size() - kKey))
    key = key << 8 | static_cast<std::uint8_t>(c);
  return key;
}

std::vector<SuffixIndex::Match> SeamIndex::find_near(std::span<const TokenId> output, int place,
                                                     int most) const {
  std::vector<SuffixIndex::Match> matches;
  if (!tokenizer_ || output.empty()) return matches;
  const std::string tail = tokenizer_->decode(output.last(std::min(output.size(), kTail)));
  if (tail.size() < kKey) return matches;
  const auto entry = places_.find(key_before(tail));
  if (entry == places_.end()) return matches;
  const std::vector<int>& places = entry->second;
  const auto from = std::ranges::lower_bound(places, place);
  const auto begin = from - std::min<std::ptrdiff_t>(kWalk, from - places.begin());
  const auto end = from + std::min<std::ptrdiff_t>(kWalk, places.end() - from);
  for (auto at = begin; at != end; ++at) {
    if (original_[static_cast<std::size_t>(*at) - 1] != output.back())
      matches.push_back(match_at(*at, tail));
  }
  SuffixIndex::sort_by_nearness(matches, place);
  matches.resize(std::min(matches.size(), static_cast<std::size_t>(most)));
  return matches;
}

SuffixIndex::Match SeamIndex::match_at(int next, std::string_view tail) const {
  const std::string_view before =
      std::string_view(text_).substr(0, begins_[static_cast<std::size_t>(next)]);
  const auto differ = std::mismatch(before.rbegin(), before.rend(), tail.rbegin(), tail.rend());
  const auto equal = static_cast<std::size_t>(differ.first - before.rbegin());
  int tokens = 0;
  while (tokens < next &&
         begins_[static_cast<std::size_t>(next - tokens - 1)] + equal >= before.size())
    ++tokens;
  return {next, std::max(tokens, 1)};
}

}  // namespace redraft
