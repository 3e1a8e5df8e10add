#include "bench/methods/search_counts.h"

#include <utility>

namespace redraft {

SearchCounts& SearchCounts::operator+=(const SearchCounts& other) {
  for_each_search_count([&](const char*, auto count) { this->*count += other.*count; });
  return *this;
}

SearchCounts& searches_of_this_thread() {
  static thread_local SearchCounts counts;
  return counts;
}

SearchCounts take_searches() { return std::exchange(searches_of_this_thread(), {}); }

}  // namespace redraft
