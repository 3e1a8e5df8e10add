#include "indexing/store/hidden_ranges.h"

#include <algorithm>

namespace redraft {

void HiddenRanges::add(std::size_t begin, std::size_t end) {
  // Ranges that touch the new one are merged into it.
  const auto first = std::ranges::lower_bound(ranges_, begin, {}, &Range::end);
  const auto last = std::ranges::upper_bound(first, ranges_.end(), end, {}, &Range::begin);
  if (first != last) {
    begin = std::min(begin, first->begin);
    end = std::max(end, std::prev(last)->end);
  }
  const auto at = ranges_.erase(first, last);
  ranges_.insert(at, {begin, end});
}

std::size_t HiddenRanges::size() const {
  std::size_t size = 0;
  for (const Range& range : ranges_) size += range.end - range.begin;
  return size;
}

std::vector<HiddenRanges::Range>::const_iterator HiddenRanges::after(std::size_t place) const {
  return std::ranges::upper_bound(ranges_, place, {}, &Range::end);
}

bool HiddenRanges::touches(std::size_t begin, std::size_t end) const {
  const auto range = after(begin);
  return range != ranges_.end() && range->begin < end;
}

std::size_t HiddenRanges::next(std::size_t begin, std::size_t end) const {
  const auto range = after(begin);
  return range == ranges_.end() ? end : std::clamp(range->begin, begin, end);
}

}  // namespace redraft
