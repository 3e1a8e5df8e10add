// Suffix sorting by induction (SA-IS; Nong, Zhang and Chan, 2009). A suffix has type S if it is
// smaller than the suffix after it, otherwise type L; an S after an L is a valley. Once the valleys
// are sorted, one forward sweep puts every L in its place, and one backward sweep every S. The same
// sweeps sort the valleys in a shorter text: the stretches from valley to valley, numbered in their
// order.
//
//   text      b a n a n a
//   type      L S L S L L
//   valleys   at 1 (anana) and 3 (ana); sorted: 3, 1
//   suffixes  sorted: a, ana, anana, banana, na, nana
#include "indexing/store/suffix_array.h"

#include <algorithm>
#include <numeric>

namespace redraft {
namespace {

using Symbols = std::span<const std::int32_t>;
using Places = std::vector<std::int32_t>;

constexpr std::int32_t kNone = -1;

class InducedSort {
 public:
  InducedSort(Symbols text, std::int32_t alphabet);
  Places run();

 private:
  bool is_valley(std::int32_t place) const {
    return place > 0 && small_[place] && !small_[place - 1];
  }
  Places bucket_begins() const;
  Places bucket_ends() const;
  // All suffixes in order, given the sorted valleys.
  Places induce(const Places& valleys) const;
  bool same_stretch(std::int32_t a, std::int32_t b) const;
  // The valleys in the order of their suffixes, given the order of their stretches.
  Places order(const Places& by_stretch) const;

  Symbols text_;
  std::int32_t size_;
  std::vector<std::uint8_t> small_;  // of type S
  Places counts_;                    // of each symbol
  Places valleys_;                   // in text order
};

InducedSort::InducedSort(Symbols text, std::int32_t alphabet)
    : text_(text),
      size_(static_cast<std::int32_t>(text.size())),
      small_(text.size(), 0),
      counts_(static_cast<std::size_t>(alphabet), 0) {
  for (const std::int32_t symbol : text_) ++counts_[symbol];
  // Nothing follows the last suffix, and nothing is smaller, so its type is L.
  for (std::int32_t place = size_ - 2; place >= 0; --place) {
    small_[place] =
        text_[place] < text_[place + 1] || (text_[place] == text_[place + 1] && small_[place + 1]);
  }
  for (std::int32_t place = 1; place < size_; ++place) {
    if (is_valley(place)) valleys_.push_back(place);
  }
}

Places InducedSort::run() {
  if (valleys_.empty()) return induce({});
  Places by_stretch;
  by_stretch.reserve(valleys_.size());
  for (const std::int32_t place : induce(valleys_)) {
    if (is_valley(place)) by_stretch.push_back(place);
  }
  return induce(order(by_stretch));
}

Places InducedSort::bucket_begins() const {
  Places begins(counts_.size());
  std::exclusive_scan(counts_.begin(), counts_.end(), begins.begin(), 0);
  return begins;
}

Places InducedSort::bucket_ends() const {
  Places ends(counts_.size());
  std::inclusive_scan(counts_.begin(), counts_.end(), ends.begin());
  return ends;
}

Places InducedSort::induce(const Places& valleys) const {
  Places sorted(text_.size(), kNone);
  Places ends = bucket_ends();
  for (std::size_t i = valleys.size(); i-- > 0;) sorted[--ends[text_[valleys[i]]]] = valleys[i];
  Places begins = bucket_begins();
  const auto put_large = [&](std::int32_t place) {
    if (place >= 0 && !small_[place]) sorted[begins[text_[place]]++] = place;
  };
  put_large(size_ - 1);
  for (std::int32_t i = 0; i < size_; ++i) {
    if (sorted[i] != kNone) put_large(sorted[i] - 1);
  }
  // Also overwrites the valleys, which get their final places here.
  ends = bucket_ends();
  for (std::int32_t i = size_ - 1; i >= 0; --i) {
    const std::int32_t place = sorted[i] - 1;
    if (place >= 0 && small_[place]) sorted[--ends[text_[place]]] = place;
  }
  return sorted;
}

bool InducedSort::same_stretch(std::int32_t a, std::int32_t b) const {
  for (std::int32_t i = 0;; ++i) {
    if (a + i >= size_ || b + i >= size_) return false;
    if (text_[a + i] != text_[b + i] || small_[a + i] != small_[b + i]) return false;
    if (i > 0 && is_valley(a + i)) return true;
  }
}

Places InducedSort::order(const Places& by_stretch) const {
  Places number_at(text_.size(), kNone);
  std::int32_t numbers = 0;
  for (std::size_t i = 0; i < by_stretch.size(); ++i) {
    if (i > 0 && !same_stretch(by_stretch[i - 1], by_stretch[i])) ++numbers;
    number_at[by_stretch[i]] = numbers;
  }
  if (numbers + 1 == static_cast<std::int32_t>(by_stretch.size())) return by_stretch;
  Places numbered;
  numbered.reserve(valleys_.size());
  for (const std::int32_t valley : valleys_) numbered.push_back(number_at[valley]);
  Places ordered = InducedSort(numbered, numbers + 1).run();
  for (std::int32_t& index : ordered) index = valleys_[index];
  return ordered;
}

}  // namespace

std::vector<std::int32_t> suffix_array(Symbols text, std::int32_t alphabet) {
  return text.empty() ? Places() : InducedSort(text, alphabet).run();
}

}  // namespace redraft
