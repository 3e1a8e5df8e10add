#include "decoding/drafting/original_tracker.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr int kNear = 64;          // tokens after the pointer that are a little ahead
constexpr int kSureMatch = 4;      // a match this long moves the pointer
constexpr int kPlaces = 12;        // looked at for each draft
constexpr int kContinuations = 4;  // offered for each draft

}  // namespace

OriginalTracker::OriginalTracker(std::span<const TokenId> original) {
  for (const TokenId token : original) index_.append(token);
}

void OriginalTracker::advance(std::span<const TokenId> output) {
  const auto original = index_.text();
  if (in_sync_) {
    if (pointer_ < static_cast<int>(original.size()) && original[pointer_] == output.back()) {
      ++pointer_;
      match_ = std::min(match_ + 1, SuffixIndex::kLongestMatch);
      return;
    }
    in_sync_ = false;
    astray_ = 0;
  }
  ++astray_;
  const auto matches = index_.find_near(output, pointer_, 1);
  if (matches.empty() || matches[0].length < kSureMatch) return;
  in_sync_ = true;
  pointer_ = matches[0].next;
  match_ = matches[0].length;
}

void OriginalTracker::add_continuations(std::span<const TokenId> output,
                                        const SurvivalTable& survival,
                                        std::vector<Continuation>& continuations) const {
  std::vector<Continuation> found;
  if (in_sync_) {
    found.push_back(at(pointer_, GuessKind::kInSync, match_));
  } else if (astray_ == 1) {
    // An edit that replaced one token by another leaves no match to go by.
    found.push_back(at(pointer_ + 1, GuessKind::kReplaced, 0));
  }
  for (const SuffixIndex::Match& match : index_.find_near(output, pointer_, kPlaces)) {
    found.push_back(at(match.next, kind_of(match.next), match.length));
  }
  std::stable_sort(
      found.begin(), found.end(), [&survival](const Continuation& a, const Continuation& b) {
        return survival.probability(a.kind, a.match) > survival.probability(b.kind, b.match);
      });
  found.resize(std::min<std::size_t>(found.size(), kContinuations));
  continuations.insert(continuations.end(), found.begin(), found.end());
}

GuessKind OriginalTracker::kind_of(int place) const {
  if (place < pointer_) return GuessKind::kBehind;
  return place <= pointer_ + kNear ? GuessKind::kAhead : GuessKind::kFar;
}

Continuation OriginalTracker::at(int place, GuessKind kind, int match) const {
  const auto original = index_.text();
  return {original.subspan(std::min<std::size_t>(place, original.size())), kind, match};
}

}  // namespace redraft
