// Numbers, versions and strings that the user replaced.
//
// Two places have the same name because they are about the same thing. Two places have the same
// number by chance: `TIMEOUT = 10` says nothing about the 10 of another function, and a package's
// version nothing about that of a dependency. So a change of nothing but such values follows only
// from two changes of the same value to the same other value.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workspace/documents/change_history.h"

namespace redraft {

class LiteralChanges {
 public:
  explicit LiteralChanges(const std::vector<RecentChange>& recent);

  // Whether the change replaces nothing but values in one of its lines, and one of these values was
  // not replaced alike in two lines by the user. A string in which the user's change of a name is
  // repeated is no such value.
  bool is_by_chance(const std::vector<std::string>& before,
                    const std::vector<std::string>& after) const;

 private:
  using Replacement = std::pair<std::string, std::string>;
  std::map<Replacement, int> n_lines_;  // in how many lines the user replaced a value like this
  std::set<Replacement> names_;         // names that the user replaced, not within strings
};

}  // namespace redraft
