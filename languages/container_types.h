#pragma once

#include <cstdint>
#include <string_view>

namespace redraft {

// What an instruction adds to something that exists: "add a case", "add a field".
enum class AddedPart : std::uint8_t { kCase, kField, kMethod, kEntry, kOption, kParameter };

// tree-sitter's names for what has such parts, in one language. Each list is words, separated by
// spaces; of a node its type. "?field" is added if there has to be a child in that field.
struct ContainerTypes {
  std::string_view cases = {};         // a switch, a match, an enumeration
  std::string_view fields = {};        // classes, structs, tables
  std::string_view methods = {};       // classes, implementations
  std::string_view entries = {};       // dictionaries, lists
  std::string_view option_calls = {};  // functions that a program calls for each of its options
};

}  // namespace redraft
