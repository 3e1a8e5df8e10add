#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "indexing/syntax/syntax_tree.h"

extern "C" typedef struct TSLanguage TSLanguage;

namespace redraft {

// The condition for a node of a definition's type to be a definition.
enum class DefinitionTest : std::uint8_t {
  kAlways,
  kHasBody,        // not just a mention
  kHoldsFunction,  // its value is a function or a class
  kSeveralLines,
  kHasHeading,
};

struct DefinitionType {
  std::string_view node;
  DefinitionKind kind = DefinitionKind::kFunction;
  DefinitionTest test = DefinitionTest::kAlways;
  // The fields that hold its name and its value; empty: its first and its last child.
  std::string_view name = "name";
  std::string_view value = "value";
};

// tree-sitter's names for what redraft looks for, in one language.
struct LanguageTypes {
  std::string_view ids;  // language ids, separated by spaces
  const TSLanguage* (*grammar)();
  std::span<const DefinitionType> definitions;
  // Nodes around a definition and part of it: decorators, `export` or template parameters.
  std::string_view wrappers;
  // The same, if they contain nothing else.
  std::string_view lone_wrappers;
  // Comments and the like, which belong to the definition directly below.
  std::string_view leading;
  // Names, in addition to "identifier" and "…_identifier".
  std::string_view identifiers;
  // Nodes whose children stand on lines of their own: blocks, bodies, objects.
  std::string_view sequences = {};
  // Statements that make names of other files known; and words that make a line one, where they
  // have no node.
  std::string_view imports = {}, import_words = {};
};

std::span<const LanguageTypes> language_types();

}  // namespace redraft
