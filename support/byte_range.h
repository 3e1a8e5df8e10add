#pragma once

#include <cstddef>

namespace redraft {

// Bytes [begin, end) of one version of a text.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
  std::size_t size() const { return end - begin; }
  bool contains(std::size_t offset) const { return begin <= offset && offset < end; }
  bool contains(const ByteRange& other) const { return begin <= other.begin && other.end <= end; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

}  // namespace redraft
