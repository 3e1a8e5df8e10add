#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// A place that gets the new name.
struct Renamed {
  ByteRange range;
  std::string text;        // what stands there now
  std::size_t offset = 0;  // of the new name in `text`
  std::string doubt;       // NameUse::doubt
  // The thing of which it is a use, by any number; nothing: a comment or a string.
  std::optional<std::size_t> thing = {};
};

// Whether a name means another thing because of the new name: a scope between a use and its
// declaration declares the new name, or what had that name already is now one with what is renamed.
// Compares what the new name means before, `others`, and after. `places` are ascending.
bool mixes_meanings(const SyntaxTree& before, const std::vector<Renamed>& places,
                    const NameMeanings& others, const std::string& new_name);

}  // namespace redraft
