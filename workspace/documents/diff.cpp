#include "workspace/documents/diff.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <utility>

namespace redraft {
namespace {

// Myers' search is exact and takes time quadratic in the number of changed lines. Beyond this many
// it is abandoned for anchors, and beyond this depth of anchors for one big change.
constexpr int kMaxChangedLines = 400;
constexpr int kMaxDepth = 16;

constexpr std::size_t kMaxAlignments = 64;
constexpr int kTrivialWeight = 1;  // "}", an empty line
constexpr int kTellingWeight = 3;
constexpr int kUniqueWeight = 6;  // a distinctive line that occurs once in the rest of the original
constexpr int kTellingLetters = 4;

struct LineSpan {
  int begin;
  int end;
  int size() const { return end - begin; }
  bool empty() const { return begin == end; }
};

// Pairs equal lines of two sequences of line ids.
class Matcher {
 public:
  Matcher(std::vector<int> before, std::vector<int> after)
      : before_(std::move(before)), after_(std::move(after)), match_(before_.size(), kNone) {
    match({0, static_cast<int>(before_.size())}, {0, static_cast<int>(after_.size())}, 0);
  }

  static constexpr int kNone = -1;
  // [before]: the equal line of `after`, ascending, or kNone.
  const std::vector<int>& matches() const { return match_; }

 private:
  void match(LineSpan a, LineSpan b, int depth);
  bool match_exactly(LineSpan a, LineSpan b);
  bool match_around_anchors(LineSpan a, LineSpan b, int depth);
  std::vector<std::pair<int, int>> anchors(LineSpan a, LineSpan b) const;

  std::vector<int> before_;
  std::vector<int> after_;
  std::vector<int> match_;
};

void Matcher::match(LineSpan a, LineSpan b, int depth) {
  while (!a.empty() && !b.empty() && before_[a.begin] == after_[b.begin])
    match_[a.begin++] = b.begin++;
  while (!a.empty() && !b.empty() && before_[a.end - 1] == after_[b.end - 1])
    match_[--a.end] = --b.end;
  if (a.empty() || b.empty() || match_exactly(a, b) || depth == kMaxDepth) return;
  match_around_anchors(a, b, depth);
}

// Myers, An O(ND) Difference Algorithm (1986): the furthest point on every diagonal after 0, 1, 2…
// changed lines. The points of every round are kept to trace the path back.
bool Matcher::match_exactly(LineSpan a, LineSpan b) {
  const int most = std::min(kMaxChangedLines, a.size() + b.size());
  // [d][diagonal + d]: the furthest offset in `a` with d changes.
  std::vector<std::vector<int>> rounds;
  const auto furthest = [&](int d, int diagonal) { return rounds[d][diagonal + d]; };
  // Whether the best path onto `diagonal` in round d ends with an inserted line (from the diagonal
  // above it).
  const auto inserts = [&](int d, int diagonal) {
    return diagonal == -d ||
           (diagonal != d && furthest(d - 1, diagonal - 1) < furthest(d - 1, diagonal + 1));
  };
  const auto entry = [&](int d, int diagonal) {
    if (d == 0) return 0;
    return inserts(d, diagonal) ? furthest(d - 1, diagonal + 1) : furthest(d - 1, diagonal - 1) + 1;
  };
  std::optional<int> found;
  for (int d = 0; d <= most && !found; ++d) {
    rounds.emplace_back(2 * d + 1);
    for (int diagonal = -d; diagonal <= d; diagonal += 2) {
      int x = entry(d, diagonal);
      // A point outside the table leads nowhere: it stays and never equals the corner.
      while (x < a.size() && x - diagonal >= 0 && x - diagonal < b.size() &&
             before_[a.begin + x] == after_[b.begin + x - diagonal]) {
        ++x;
      }
      rounds[d][diagonal + d] = x;
      if (x == a.size() && x - diagonal == b.size()) found = diagonal;
    }
  }
  if (!found) return false;
  int diagonal = *found;
  for (int d = static_cast<int>(rounds.size()) - 1; d >= 0; --d) {
    for (int x = furthest(d, diagonal); x > entry(d, diagonal); --x) {
      match_[a.begin + x - 1] = b.begin + x - 1 - diagonal;
    }
    if (d > 0) diagonal += inserts(d, diagonal) ? 1 : -1;
  }
  return true;
}

bool Matcher::match_around_anchors(LineSpan a, LineSpan b, int depth) {
  const std::vector<std::pair<int, int>> pairs = anchors(a, b);
  LineSpan left_a{a.begin, a.begin};
  LineSpan left_b{b.begin, b.begin};
  for (const auto& [in_a, in_b] : pairs) {
    left_a.end = in_a;
    left_b.end = in_b;
    match(left_a, left_b, depth + 1);
    match_[in_a] = in_b;
    left_a.begin = in_a + 1;
    left_b.begin = in_b + 1;
  }
  if (!pairs.empty()) match({left_a.begin, a.end}, {left_b.begin, b.end}, depth + 1);
  return !pairs.empty();
}

// Lines that occur once on each side: the longest sequence of them that has the same order on both
// (patience sorting).
std::vector<std::pair<int, int>> Matcher::anchors(LineSpan a, LineSpan b) const {
  struct PairedLine {
    int in_a = kNone, in_b = kNone;
    bool repeated = false;
  };
  std::unordered_map<int, PairedLine> lines;
  for (int i = a.begin; i < a.end; ++i) {
    PairedLine& line = lines[before_[i]];
    line.repeated |= line.in_a != kNone;
    line.in_a = i;
  }
  for (int i = b.begin; i < b.end; ++i) {
    PairedLine& line = lines[after_[i]];
    line.repeated |= line.in_b != kNone;
    line.in_b = i;
  }
  struct Card {
    int in_a, in_b, below;
  };
  std::vector<Card> cards;
  std::vector<int> piles;  // the top card of each pile
  for (int i = a.begin; i < a.end; ++i) {
    const PairedLine& line = lines.at(before_[i]);
    if (line.repeated || line.in_b == kNone) continue;
    const auto pile = std::lower_bound(piles.begin(), piles.end(), line.in_b,
                                       [&](int card, int in_b) { return cards[card].in_b < in_b; });
    cards.push_back({i, line.in_b, pile == piles.begin() ? kNone : *std::prev(pile)});
    const int card = static_cast<int>(cards.size()) - 1;
    if (pile == piles.end()) {
      piles.push_back(card);
    } else {
      *pile = card;
    }
  }
  std::vector<std::pair<int, int>> pairs;
  for (int card = piles.empty() ? kNone : piles.back(); card != kNone; card = cards[card].below) {
    pairs.emplace_back(cards[card].in_a, cards[card].in_b);
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<LineChange> changes_between_matches(const std::vector<int>& matches,
                                                std::span<const std::string_view> after) {
  std::vector<LineChange> changes;
  int old_begin = 0;
  int new_begin = 0;
  const auto close = [&](int old_end, int new_end) {
    if (old_begin == old_end && new_begin == new_end) return;
    LineChange change{old_begin, old_end, {}};
    for (int i = new_begin; i < new_end; ++i) change.new_lines.emplace_back(after[i]);
    changes.push_back(std::move(change));
  };
  for (int i = 0; i < static_cast<int>(matches.size()); ++i) {
    if (matches[i] == Matcher::kNone) continue;
    close(i, matches[i]);
    old_begin = i + 1;
    new_begin = matches[i] + 1;
  }
  close(static_cast<int>(matches.size()), static_cast<int>(after.size()));
  return changes;
}

bool is_telling(std::string_view line) {
  return std::count_if(line.begin(), line.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  (c & 0x80) != 0;
         }) >= kTellingLetters;
}

}  // namespace

std::vector<LineChange> diff_lines(std::span<const std::string_view> before,
                                   std::span<const std::string_view> after) {
  std::unordered_map<std::string_view, int> ids;
  const auto id_of = [&](std::string_view line) {
    return ids.try_emplace(line, static_cast<int>(ids.size())).first->second;
  };
  std::vector<int> before_ids(before.size());
  std::vector<int> after_ids(after.size());
  std::transform(before.begin(), before.end(), before_ids.begin(), id_of);
  std::transform(after.begin(), after.end(), after_ids.begin(), id_of);
  return changes_between_matches(Matcher(std::move(before_ids), std::move(after_ids)).matches(),
                                 after);
}

IncrementalDiff::IncrementalDiff(std::span<const std::string_view> original) : original_(original) {
  for (std::size_t i = 0; i < original.size(); ++i) {
    const auto [place, added] =
        id_of_line_.try_emplace(original[i], static_cast<int>(places_.size()));
    if (added) {
      places_.emplace_back();
      telling_.push_back(is_telling(original[i]));
    }
    places_[place->second].push_back(static_cast<int>(i));
  }
}

std::vector<LineChange> IncrementalDiff::add(std::string line) {
  if (pending_.empty() && position_ < static_cast<int>(original_.size()) &&
      original_[position_] == line) {
    ++position_;
    return {};
  }
  const auto id = id_of_line_.find(line);
  pending_.push_back(std::move(line));
  advance_alignments(id == id_of_line_.end() ? Matcher::kNone : id->second);
  const auto found = std::find_if(
      alignments_.begin(), alignments_.end(),
      [&](const Alignment& alignment) { return alignment.weight >= needed_weight(alignment); });
  if (found == alignments_.end()) return {};
  std::vector<LineChange> changes =
      compare(found->next - found->length, pending_.size() - found->length);
  position_ = found->next;
  pending_.clear();
  alignments_.clear();
  return changes;
}

std::vector<LineChange> IncrementalDiff::finish() {
  std::vector<LineChange> changes = compare(static_cast<int>(original_.size()), pending_.size());
  position_ = static_cast<int>(original_.size());
  pending_.clear();
  alignments_.clear();
  return changes;
}

// Alignments that the line continues survive, others end, and every nearby place where the line
// occurs may start one.
void IncrementalDiff::advance_alignments(int line_id) {
  std::vector<Alignment> alive;
  if (line_id != Matcher::kNone) {
    const int weight = weight_of(line_id);
    const std::vector<int>& places = places_[line_id];
    auto previous = alignments_.begin();
    for (auto place = std::lower_bound(places.begin(), places.end(), position_);
         place != places.end() && alive.size() < kMaxAlignments; ++place) {
      while (previous != alignments_.end() && previous->next < *place) ++previous;
      if (previous != alignments_.end() && previous->next == *place) {
        alive.push_back({*place + 1, previous->length + 1, previous->weight + weight});
      } else {
        alive.push_back({*place + 1, 1, weight});
      }
    }
  }
  alignments_ = std::move(alive);
}

int IncrementalDiff::weight_of(int line_id) const {
  if (!telling_[line_id]) return kTrivialWeight;
  const std::vector<int>& places = places_[line_id];
  const auto ahead = places.end() - std::lower_bound(places.begin(), places.end(), position_);
  return ahead == 1 ? kUniqueWeight : kTellingWeight;
}

// Resuming the original at once, or after as many lines as were replaced, loses nothing. Skipping
// lines would delete them permanently although the model may yet write them: new code often repeats
// lines that also occur further on.
int IncrementalDiff::needed_weight(const Alignment& alignment) const {
  constexpr int kFewLines = 3;
  constexpr int kMaxExtra = 24;
  const int skipped = alignment.next - alignment.length - position_;
  const int written = static_cast<int>(pending_.size()) - alignment.length;
  if (skipped == 0 || (skipped == written && skipped <= kFewLines)) return kUniqueWeight;
  return 2 * kUniqueWeight + std::clamp((skipped - written) / 4, 0, kMaxExtra);
}

std::vector<LineChange> IncrementalDiff::compare(int old_end, std::size_t n_pending) {
  const std::vector<std::string_view> pending(
      pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(n_pending));
  std::vector<LineChange> changes =
      diff_lines(original_.subspan(position_, old_end - position_), pending);
  for (LineChange& change : changes) {
    change.old_begin += position_;
    change.old_end += position_;
  }
  return changes;
}

}  // namespace redraft
