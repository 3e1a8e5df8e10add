#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// A function, a type or what holds them (a module, Rust's impl). Not one within a function: to take
// those apart is what an edit of the function is about. Nor one that is a value (Definition).
struct NamedDefinition {
  DefinitionKind kind;
  std::string around;  // the names of what it stands in: "Server.", or empty
  std::string name;    // not empty
  ByteRange name_range;
  ByteRange range;  // as Definition::range
  std::string path() const { return around + name; }
};

// In the order in which they begin. Data and markup have none.
std::vector<NamedDefinition> named_definitions(const SyntaxTree& tree);

// What distinguishes a definition from others of its name: its path, attributes or decorators and
// parameters, without blanks.
std::string signature_of(std::string_view text, const NamedDefinition& definition);

}  // namespace redraft
