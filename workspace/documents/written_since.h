#pragma once

#include <string_view>
#include <vector>

#include "support/byte_range.h"
#include "workspace/documents/document.h"

namespace redraft {

// Which names and signs of a document were written since an earlier version.
class WrittenSince {
 public:
  // Blanks do not count.
  WrittenSince(const Document& before, const Document& now);

  // Whether anything in the range was written or removed.
  bool has(const ByteRange& range) const;

 private:
  void compare(std::string_view before, std::string_view now, std::size_t begin);

  std::vector<ByteRange> changed_;  // with the surrounding blanks, ascending
};

}  // namespace redraft
