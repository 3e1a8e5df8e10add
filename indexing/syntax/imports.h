#pragma once

#include <cstddef>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

// A statement that makes names of other files known: an import, an include, a use.
struct Import {
  ByteRange range;
  bool in_function = false;
  // Where it holds for the whole file, a module or a class: not under an `if`, a `try`, a loop.
  bool is_direct = false;
};

// Those of a file, in order, and where another one goes: the beginning of a line.
struct Imports {
  std::vector<Import> all;
  std::size_t place = 0;
};

}  // namespace redraft
