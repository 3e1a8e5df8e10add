#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"

namespace redraft {

// Lines of a document that may have to follow recent changes, and how much speaks for it.
struct NextPlace {
  std::shared_ptr<const Document> document;
  int first_line = 0, end_line = 0;
  double weight = 0;
};

// The best first, disjoint; at most `most`. No model is asked: a line counts by the words of it
// that were taken away elsewhere and by how alike it is to lines that were changed. Of documents
// but the first only lines that speak for themselves.
std::vector<NextPlace> next_places(const std::vector<RecentChange>& recent,
                                   const std::vector<std::shared_ptr<const Document>>& documents,
                                   int most);

// A few lines of the document that was changed last which the changes do not concern, away from
// them and outside these places; empty: there are none.
std::string quiet_lines(const std::vector<RecentChange>& recent,
                        const std::vector<NextPlace>& places);

}  // namespace redraft
