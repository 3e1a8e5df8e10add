#pragma once

#include <string_view>

namespace redraft {

// The similarity of a text to its reference, 0..1: RepoEval's edit similarity (RepoCoder, section
// 4.3), computed as by its authors. Uses the lines that are not blank, without surrounding blanks,
// and at most as many lines of `text` as the reference has. The result is 1 - Levenshtein distance
// / length of the longer, in Unicode code points; 1 if both are empty. Takes time in proportion to
// the product of the lengths of what differs: about half a second for 10,000 characters against
// 50,000.
double edit_similarity(std::string_view text, std::string_view reference);

// The minimum number of insertions, deletions and replacements that turn one into the other.
int levenshtein_distance(std::u32string_view a, std::u32string_view b);

}  // namespace redraft
