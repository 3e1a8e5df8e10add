#include "decoding/drafting/suffix_index.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

std::uint64_t key_of(std::span<const TokenId> tokens) {
  std::uint64_t key = tokens.size();
  for (const TokenId token : tokens) {
    key = (key ^ static_cast<std::uint32_t>(token)) * 0x9e3779b97f4a7c15ULL;
    key ^= key >> 29;
  }
  return key;
}

}  // namespace

void SuffixIndex::append(TokenId token) {
  // `token` gives the places after the keys that end before it something to continue with.
  const int place = static_cast<int>(text_.size());
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    int before = -1;
    if (place >= kOrders[i]) {
      const auto [entry, fresh] =
          last_[i].try_emplace(key_of(std::span(text_).last(kOrders[i])), place);
      if (!fresh) before = std::exchange(entry->second, place);
    }
    previous_[i].push_back(before);
  }
  text_.push_back(token);
}

std::vector<SuffixIndex::Match> SuffixIndex::find(std::span<const TokenId> sequence, int most,
                                                  bool distinct) const {
  std::vector<Match> matches;
  for (std::size_t i = 0; i < kOrders.size() && static_cast<int>(matches.size()) < most; ++i) {
    if (static_cast<int>(sequence.size()) < kOrders[i]) continue;
    const auto entry = last_[i].find(key_of(sequence.last(kOrders[i])));
    if (entry == last_[i].end()) continue;
    int place = entry->second;
    for (int walked = 0; place >= 0 && walked < kWalk; ++walked, place = previous_[i][place]) {
      const int length = match_length(sequence, place);
      if (length > 0) matches.push_back({place, length});  // 0: two keys share a hash
    }
  }
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return a.length != b.length ? a.length > b.length : a.next > b.next;
  });
  std::vector<Match> kept;
  for (const Match& match : matches) {
    if (static_cast<int>(kept.size()) == most) break;
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](const Match& other) {
      return other.next == match.next || (distinct && text_[other.next] == text_[match.next]);
    });
    if (!seen) kept.push_back(match);
  }
  return kept;
}

int SuffixIndex::match_length(std::span<const TokenId> sequence, int next) const {
  const int most = std::min({kLongestMatch, next, static_cast<int>(sequence.size())});
  int length = 0;
  while (length < most && text_[next - 1 - length] == sequence[sequence.size() - 1 - length])
    ++length;
  return length;
}

}  // namespace redraft
