#pragma once

#include <string>

namespace redraft {

// A word, and the word that is expected to replace it.
struct Replacement {
  std::string from, to;
  bool operator==(const Replacement&) const = default;
};

}  // namespace redraft
