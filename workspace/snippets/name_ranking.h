#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

struct RankedName {
  std::string_view name;  // a view into the tree's text
  double weight = 0;
};

// The names of a file that a completion at `offset` probably needs and that the file does not
// define itself, the best first: names near the cursor and imported names. At most `most`.
std::vector<RankedName> ranked_names(const SyntaxTree& tree, std::size_t offset, std::size_t most);

}  // namespace redraft
