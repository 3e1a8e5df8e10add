#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace redraft {

// Bytes [begin, end) of one document version.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
  std::size_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Replaces a range by a text. A list of them is ascending and disjoint, all against the same
// version.
struct TextEdit {
  ByteRange range;
  std::string new_text;
  friend bool operator==(const TextEdit&, const TextEdit&) = default;
};

// `edits` ascending and disjoint.
std::string apply_edits(const std::string& text, const std::vector<TextEdit>& edits);

}  // namespace redraft
