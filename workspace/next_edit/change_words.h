#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/change_history.h"

namespace redraft {

// Words of code (runs of letters, digits and underscores), and each other character but white
// space.
std::vector<std::string_view> words_of(std::string_view line);
bool is_word(std::string_view piece);  // not a single other character

// The pieces that a change of lines has more, and fewer, of.
struct WordChange {
  std::set<std::string> added, removed;
  bool empty() const { return added.empty() && removed.empty(); }
};
WordChange word_change(const std::vector<std::string>& before,
                       const std::vector<std::string>& after);
WordChange word_change(const std::vector<RecentChange>& recent);

// A short piece of a line, with at least one word, that gave way to another.
struct Substitution {
  std::string before, after;
  friend bool operator==(const Substitution&, const Substitution&) = default;
};
// One of each line that was changed in a single place; each once, the latest at the end.
std::vector<Substitution> substitutions(const std::vector<RecentChange>& recent);

}  // namespace redraft
