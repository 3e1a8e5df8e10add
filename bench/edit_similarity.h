#pragma once

#include <string_view>

namespace redraft {

// How alike a text is to its reference, 0..1: RepoEval's edit similarity (RepoCoder, section 4.3),
// as its authors compute it. Of both the lines that are not blank, without the blanks around them;
// of `text` no more lines than the reference has; then 1 - Levenshtein distance / length of the
// longer, in Unicode code points. 1 if nothing is left of either. Takes time in proportion to the
// product of what differs: about half a second for 10,000 characters against 50,000.
double edit_similarity(std::string_view text, std::string_view reference);

// The fewest insertions, deletions and replacements of elements that make one of the other.
int levenshtein_distance(std::u32string_view a, std::u32string_view b);

}  // namespace redraft
