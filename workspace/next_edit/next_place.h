#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/next_edit/name_changes.h"

namespace redraft {

// Lines of a document that may have to change because of recent changes, and the weight of the
// evidence.
struct NextPlace {
  std::shared_ptr<const Document> document;
  int first_line = 0, end_line = 0;
  double weight = 0;
  int line = -1;  // the line that has to change; -1: somewhere in the middle
};

// The best places first, disjoint; at most `most`. No model runs: a line's weight depends on its
// words that were removed in other places, and on its similarity to changed lines. In documents
// other than the first, only lines with strong evidence count. Lines in which a replaced name means
// something else (`names`) do not count.
std::vector<NextPlace> next_places(const std::vector<RecentChange>& recent,
                                   const std::vector<std::shared_ptr<const Document>>& documents,
                                   const NameChanges& names, int most);

// A few lines of the most recently changed document that the changes do not affect, away from them
// and from these places; empty: there are none. Returns `last` (may be empty) if it is still such a
// part.
std::string quiet_lines(const std::vector<RecentChange>& recent,
                        const std::vector<NextPlace>& places, const std::string& last);

}  // namespace redraft
