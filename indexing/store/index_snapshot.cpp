#include "indexing/store/index_snapshot.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace redraft {
namespace {

using Suffixes = Segment::Suffixes;

// If this many positions of a run are hidden, it counts as not found: merges keep hidden positions
// a minority.
constexpr std::size_t kMaxHiddenPlaces = 4096;

// Whether `length` tokens at `place`, and the next one, are visible.
bool is_visible(const IndexSnapshot::Part& part, std::int32_t place, std::size_t length) {
  if (!part.segment->holds(place)) return false;
  const auto begin = static_cast<std::size_t>(place);
  return !part.hidden || !part.hidden->touches(begin, begin + length + 1);
}

// The occurrences of `key` with something after it, if any of them is visible.
std::optional<Suffixes> find_visible(const IndexSnapshot::Part& part,
                                     std::span<const TokenId> key) {
  const Suffixes found = part.segment->find(key);
  const std::size_t count = std::min(found.size(), kMaxHiddenPlaces);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_visible(part, found[i * found.size() / count], key.size())) return found;
  }
  return std::nullopt;
}

struct Found {
  const IndexSnapshot::Part* part;
  Suffixes suffixes;
};

// The longest suffix of a context that occurs in any part.
class LongestMatch {
 public:
  LongestMatch(std::span<const TokenId> context, const ContinuationQuery& query)
      : context_(context),
        shortest_(query.shortest),
        longest_(std::min(query.longest, static_cast<int>(context.size()))) {}

  void look_in(const IndexSnapshot::Part& part) {
    const int least = std::max(matched_, shortest_);
    // If n tokens occur with something after them, fewer do too: binary search finds the maximum.
    int known = least - 1;
    int beyond = longest_ + 1;
    Suffixes best;
    for (int length = least; known + 1 < beyond; length = (known + beyond) / 2) {
      if (const auto found = find_visible(part, context_.last(static_cast<std::size_t>(length)))) {
        known = length;
        best = *found;
      } else {
        beyond = length;
      }
    }
    if (known < least) return;
    if (known > matched_) found_.clear();
    matched_ = known;
    found_.push_back({&part, best});
  }

  int matched() const { return matched_; }
  const std::vector<Found>& found() const { return found_; }

 private:
  std::span<const TokenId> context_;
  int shortest_, longest_;
  int matched_ = 0;
  std::vector<Found> found_;
};

// Adds `count` of those found at equal distances, in lexicographic order.
void add_continuations(const Found& found, std::size_t count, std::size_t matched,
                       std::size_t length, std::vector<std::span<const TokenId>>& tokens) {
  const IndexSnapshot::Part& part = *found.part;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t place = found.suffixes[i * found.suffixes.size() / count];
    if (!is_visible(part, place, matched)) continue;
    const std::size_t begin = static_cast<std::size_t>(place) + matched;
    const std::size_t end = part.hidden ? part.hidden->next(begin, begin + length) : begin + length;
    tokens.push_back(part.segment->text_after(begin, end - begin));
  }
}

}  // namespace

Continuations IndexSnapshot::continuations(std::span<const TokenId> context,
                                           const ContinuationQuery& query) const {
  LongestMatch match(context, query);
  for (const Part& part : parts_) match.look_in(part);
  Continuations found;
  found.matched = match.matched();
  std::size_t all = 0;
  for (const Found& in_part : match.found()) all += in_part.suffixes.size();
  const auto most = static_cast<std::size_t>(query.most);
  found.tokens.reserve(std::min(all, most));
  std::size_t passed = 0;
  for (const Found& in_part : match.found()) {
    // The share of each part, so that together they are at most `most`.
    const std::size_t next = passed + in_part.suffixes.size();
    const std::size_t count =
        all <= most ? in_part.suffixes.size() : next * most / all - passed * most / all;
    const auto before = static_cast<std::ptrdiff_t>(found.tokens.size());
    add_continuations(in_part, count, static_cast<std::size_t>(found.matched),
                      static_cast<std::size_t>(query.length), found.tokens);
    passed = next;
    const auto begin = found.tokens.begin();
    if (before > 0) {
      std::inplace_merge(begin, begin + before, found.tokens.end(),
                         [](auto a, auto b) { return std::ranges::lexicographical_compare(a, b); });
    }
  }
  return found;
}

std::vector<IndexSnapshot::DefinitionPlace> IndexSnapshot::definitions(std::string_view name,
                                                                       std::size_t most) const {
  const std::uint32_t hash = hash_of_name(name);
  std::vector<DefinitionPlace> places;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& [segment, hidden, names] = parts_[i];
    for (const StoredDefinition& definition : segment->definitions_of(hash)) {
      if (places.size() == most) return places;
      if (definition.text >= segment->text_count() || definition.begin >= definition.end) continue;
      if (hidden &&
          hidden->touches(segment->text_begin(definition.text), segment->text_end(definition.text)))
        continue;
      places.push_back({{i, definition.text}, {definition.begin, definition.end}});
    }
  }
  return places;
}

std::vector<IndexSnapshot::Occurrence> IndexSnapshot::occurrences(std::span<const TokenId> key,
                                                                  std::size_t most) const {
  std::vector<Occurrence> occurrences;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Segment& segment = *parts_[i].segment;
    const Suffixes found = segment.find(key);
    const std::size_t count = std::min(found.size(), most);
    for (std::size_t j = 0; j < count; ++j) {
      const std::int32_t place = found[j * found.size() / count];
      if (!is_visible(parts_[i], place, key.size())) continue;
      const std::size_t text = segment.text_at(static_cast<std::size_t>(place));
      const std::size_t begin = segment.text_begin(text);
      occurrences.push_back({{i, text}, static_cast<std::size_t>(place) - begin});
    }
  }
  return occurrences;
}

const std::string& IndexSnapshot::name(const TextPlace& place) const {
  static const std::string kNone;
  const auto& names = parts_[place.part].names;
  return names && place.text < names->size() ? (*names)[place.text] : kNone;
}

std::span<const TokenId> IndexSnapshot::tokens(const TextPlace& place) const {
  return parts_[place.part].segment->text(place.text);
}

std::size_t IndexSnapshot::token_count() const {
  return std::accumulate(parts_.begin(), parts_.end(), std::size_t{0},
                         [](std::size_t sum, const Part& part) {
                           const std::size_t hidden = part.hidden ? part.hidden->size() : 0;
                           return sum + part.segment->token_count() - hidden;
                         });
}

}  // namespace redraft
