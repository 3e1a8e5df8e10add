#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

namespace redraft {

// The location of a definition of a name in a text. The layout is that of a segment's file.
struct StoredDefinition {
  std::uint32_t name = 0;            // hash_of_name() of the name
  std::uint32_t text = 0;            // index in the segment
  std::uint32_t begin = 0, end = 0;  // bytes of the text

  friend bool operator==(const StoredDefinition&, const StoredDefinition&) = default;
  friend bool operator<(const StoredDefinition& a, const StoredDefinition& b) {
    return std::tie(a.name, a.text, a.begin, a.end) < std::tie(b.name, b.text, b.begin, b.end);
  }
};

std::uint32_t hash_of_name(std::string_view name);

}  // namespace redraft
