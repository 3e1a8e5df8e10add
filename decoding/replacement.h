#pragma once

#include <string>

namespace redraft {

// A word, and the one that is expected in its place.
struct Replacement {
  std::string from, to;
  bool operator==(const Replacement&) const = default;
};

}  // namespace redraft
