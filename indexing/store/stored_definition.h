#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// Where a text defines something that has a name. As it lies in a segment's file.
struct StoredDefinition {
  std::uint32_t name = 0;            // hash_of_name() of it
  std::uint32_t text = 0;            // of the segment
  std::uint32_t begin = 0, end = 0;  // bytes of the text

  friend bool operator==(const StoredDefinition&, const StoredDefinition&) = default;
  friend bool operator<(const StoredDefinition& a, const StoredDefinition& b) {
    return std::tie(a.name, a.text, a.begin, a.end) < std::tie(b.name, b.text, b.begin, b.end);
  }
};

std::uint32_t hash_of_name(std::string_view name);

// Functions and types that have names; StoredDefinition::text is left 0.
std::vector<StoredDefinition> stored_definitions(const SyntaxTree& tree);
// The same of a text that is not parsed yet; none where nobody knows its language.
std::vector<StoredDefinition> stored_definitions(const std::string& text,
                                                 std::string_view language_id,
                                                 const ParseLimits& limits = {});

}  // namespace redraft
