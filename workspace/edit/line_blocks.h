#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "workspace/edit/edit_windows.h"

namespace redraft {

// Lines that belong together where no syntax tree says so: a line and what is indented further than
// it, with the brackets or the word that end it and the comments and attributes directly above.
//
//   // Adds up.                 1st line
//   func total() -> Int {       header
//       return 1
//   }                           last line
struct LineBlock {
  LineWindow lines;
  int header = 0;
};

// In the order in which they begin; those within another follow it, if it has more than
// `max_bytes`.
std::vector<LineBlock> line_blocks(std::span<const std::string_view> lines, std::size_t max_bytes);

}  // namespace redraft
