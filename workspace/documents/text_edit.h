#pragma once

#include <string>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

// Replaces a range by a text. A list of edits is ascending and disjoint, all against one version.
struct TextEdit {
  ByteRange range;
  std::string new_text;
  friend bool operator==(const TextEdit&, const TextEdit&) = default;
};

// `edits` are ascending and disjoint.
std::string apply_edits(const std::string& text, const std::vector<TextEdit>& edits);
// Where the text of each edit is in the text after all of them.
std::vector<ByteRange> new_places(const std::vector<TextEdit>& edits);

}  // namespace redraft
