#pragma once

namespace redraft {

// The work of decoders that retrieve: the counts of FastCoder (section VI.B).
struct SearchCounts {
  int cache_asked = 0;       // look-ups in what was verified or written before
  int cache_hits = 0;        // look-ups that found something
  int searches = 0;          // of datastores; a search of two at once counts once
  int searches_skipped = 0;  // searches left out by chance, where a line begins
  int searches_missing = 0;  // searches left out because the same one had failed
  double cache_seconds = 0;
  double search_seconds = 0;

  SearchCounts& operator+=(const SearchCounts& other);
  bool operator==(const SearchCounts&) const = default;
};

// `visit(name in documents, pointer to member)` for each count.
template <typename Visit>
constexpr void for_each_search_count(const Visit& visit) {
  visit("cache_asked", &SearchCounts::cache_asked);
  visit("cache_hits", &SearchCounts::cache_hits);
  visit("searches", &SearchCounts::searches);
  visit("searches_skipped", &SearchCounts::searches_skipped);
  visit("searches_missing", &SearchCounts::searches_missing);
  visit("cache_seconds", &SearchCounts::cache_seconds);
  visit("search_seconds", &SearchCounts::search_seconds);
}

// The counts of the decodes of this thread since the last take_searches(). A bench runs one decode
// at a time, on one thread.
SearchCounts& searches_of_this_thread();
SearchCounts take_searches();

}  // namespace redraft
