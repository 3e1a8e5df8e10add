#pragma once

#include <cstddef>
#include <vector>

namespace redraft {

// Ranges of a segment that a search must not return: deleted texts, and the text being written.
class HiddenRanges {
 public:
  // Adds [begin, end), not empty; ranges may touch and overlap.
  void add(std::size_t begin, std::size_t end);

  bool empty() const { return ranges_.empty(); }
  // The number of tokens in them.
  std::size_t size() const;
  // Whether any of [begin, end) is hidden.
  bool touches(std::size_t begin, std::size_t end) const;
  // The first hidden position at or after `begin`, or `end` if that comes first.
  std::size_t next(std::size_t begin, std::size_t end) const;

 private:
  struct Range {
    std::size_t begin, end;
  };
  // The first range that ends after `place`.
  std::vector<Range>::const_iterator after(std::size_t place) const;

  std::vector<Range> ranges_;  // ascending, disjoint
};

}  // namespace redraft
