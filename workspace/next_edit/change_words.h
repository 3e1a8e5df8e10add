#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/change_history.h"

namespace redraft {

// The words of code (runs of letters, digits and underscores), and every other character except
// white space.
std::vector<std::string_view> words_of(std::string_view line);
// Whether it is a word, not a single other character.
bool is_word(std::string_view piece);

// The pieces that the changed lines have more or fewer of than before.
struct WordChange {
  std::set<std::string> added, removed;
  bool empty() const { return added.empty() && removed.empty(); }
};
WordChange word_change(const std::vector<std::string>& before,
                       const std::vector<std::string>& after);
WordChange word_change(const std::vector<RecentChange>& recent);

// A short piece of a line, with at least one word, that was replaced by another.
struct Substitution {
  std::string before, after;
  friend bool operator==(const Substitution&, const Substitution&) = default;
};
// One for each line that was changed in a single place; no duplicates, the latest at the end.
std::vector<Substitution> substitutions(const std::vector<RecentChange>& recent);

}  // namespace redraft
