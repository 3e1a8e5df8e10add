#pragma once

#include <cstdint>
#include <string_view>

namespace redraft {

enum class DefinitionKind : std::uint8_t {
  kFunction,        // including methods and constructors
  kType,            // class, struct, enum, interface, trait
  kImplementation,  // Rust's impl
  kModule,          // namespace, module
  kEntry,           // in data and markup: a key with its value, a table, a rule, an element
  kSection,         // in prose: a heading and the text below it
};

// The condition for a node of a definition's type to be a definition.
enum class DefinitionTest : std::uint8_t {
  kAlways,
  kHasBody,        // a declaration without a body is not a definition
  kHoldsFunction,  // its value is a function or a class
  kSeveralLines,
  kHasHeading,
};

// A node type of a grammar that defines something.
struct DefinitionType {
  std::string_view node;
  DefinitionKind kind = DefinitionKind::kFunction;
  DefinitionTest test = DefinitionTest::kAlways;
  // The fields that hold its name and its value; empty: its first and its last child.
  std::string_view name = "name";
  std::string_view value = "value";
  // The word for it in the names of regions; empty: from `kind` and the words in `node`.
  std::string_view word = {};
  // The child before which the name ends, which begins with the definition; empty: `name` has it.
  std::string_view name_end = {};
};

}  // namespace redraft
