#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// The Damerau-Levenshtein distance. It counts a transposition of neighbours once ("optimal string
// alignment").
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    two_above = above;
    above = row;
  }
  return above.back();
}

// The candidate that `word` was probably meant to be, by edit_distance(). Empty if none is near.
inline std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // A long prefix of a word is probably meant as that word.
    const bool begins = word.size() > 3 && candidate.starts_with(word);
    const std::size_t far = begins ? 1 : edit_distance(word, candidate);
    if (far >= least || far >= candidate.size()) continue;
    nearest = candidate;
    least = far;
  }
  return nearest;
}

}  // namespace redraft
