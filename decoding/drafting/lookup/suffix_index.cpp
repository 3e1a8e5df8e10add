#include "decoding/drafting/lookup/suffix_index.h"

#include <algorithm>
#include <tuple>

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

void SuffixIndex::sort_by_nearness(std::vector<Match>& matches, int place) {
  std::ranges::sort(matches, {}, [place](const Match& match) {
    const bool behind = match.next < place;
    return std::tuple(-match.length, behind, behind ? place - match.next : match.next - place);
  });
}

void SuffixIndex::append(TokenId token) {
  // `token` gives the position after the keys that end here a continuation.
  const int place = static_cast<int>(text_.size());
  for (std::size_t order = 0; order < kOrders.size(); ++order) {
    if (place < kOrders[order]) continue;
    places_[order][key_of(std::span(text_).last(kOrders[order]))].push_back(place);
  }
  text_.push_back(token);
}

std::vector<SuffixIndex::Match> SuffixIndex::find_recent(std::span<const TokenId> sequence,
                                                         int most) const {
  std::vector<Match> matches;
  for (std::size_t order = 0; order < kOrders.size() && std::ssize(matches) < most; ++order) {
    const Places* places = places_after(sequence, order);
    if (!places) continue;
    int walked = 0;
    for (auto place = places->rbegin(); place != places->rend() && walked < kWalk;
         ++place, ++walked) {
      matches.push_back({*place, match_length(sequence, *place)});
    }
  }
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return a.length != b.length ? a.length > b.length : a.next > b.next;
  });
  std::vector<Match> kept;
  for (const Match& match : matches) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Match& other) {
      return text_[other.next] == text_[match.next];
    });
    if (!known && match.length > 0) kept.push_back(match);  // 0: a hash collision
    if (std::ssize(kept) == most) break;
  }
  return kept;
}

std::vector<SuffixIndex::Match> SuffixIndex::find_near(std::span<const TokenId> sequence, int place,
                                                       int most) const {
  std::vector<Match> matches;
  for (std::size_t order = 0; order < kOrders.size() && std::ssize(matches) < most; ++order) {
    const Places* places = places_after(sequence, order);
    if (!places) continue;
    const auto from = std::lower_bound(places->begin(), places->end(), place);
    const auto begin = from - std::min<std::ptrdiff_t>(kWalk, from - places->begin());
    const auto end = from + std::min<std::ptrdiff_t>(kWalk, places->end() - from);
    for (auto at = begin; at != end; ++at) matches.push_back({*at, match_length(sequence, *at)});
  }
  sort_by_nearness(matches, place);
  const auto same = [](const Match& a, const Match& b) { return a.next == b.next; };
  matches.erase(std::unique(matches.begin(), matches.end(), same), matches.end());
  std::erase_if(matches, [](const Match& match) { return match.length == 0; });
  matches.resize(std::min<std::size_t>(matches.size(), static_cast<std::size_t>(most)));
  return matches;
}

const SuffixIndex::Places* SuffixIndex::places_after(std::span<const TokenId> sequence,
                                                     std::size_t order) const {
  if (std::ssize(sequence) < kOrders[order]) return nullptr;
  const auto entry = places_[order].find(key_of(sequence.last(kOrders[order])));
  return entry == places_[order].end() ? nullptr : &entry->second;
}

int SuffixIndex::match_length(std::span<const TokenId> sequence, int next) const {
  const int most = std::min({kLongestMatch, next, static_cast<int>(sequence.size())});
  int length = 0;
  while (length < most && text_[next - 1 - length] == sequence[sequence.size() - 1 - length])
    ++length;
  return length;
}

}  // namespace redraft
