#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "indexing/syntax/syntax_tree.h"

extern "C" typedef struct TSLanguage TSLanguage;

namespace redraft {

// When a node of a definition's type is one.
enum class DefinitionTest : std::uint8_t {
  kAlways,
  kHasBody,        // not a mere mention
  kHoldsFunction,  // its value is a function or a class
  kSeveralLines,
  kHasHeading,
};

struct DefinitionType {
  std::string_view node;
  DefinitionKind kind = DefinitionKind::kFunction;
  DefinitionTest test = DefinitionTest::kAlways;
  // The fields with its name and its value; empty: its first and its last child.
  std::string_view name = "name";
  std::string_view value = "value";
};

// What tree-sitter calls the things that redraft asks for, in one language.
struct LanguageTypes {
  std::string_view ids;  // language ids, separated by blanks
  const TSLanguage* (*grammar)();
  std::span<const DefinitionType> definitions;
  // Around a definition and part of it: what carries decorators, `export` or template parameters.
  std::string_view wrappers;
  // The same, if there is nothing else in it.
  std::string_view lone_wrappers;
  // Comments and the like, which belong to the definition directly below.
  std::string_view leading;
  // Names, besides what is called "identifier" or "…_identifier".
  std::string_view identifiers;
};

std::span<const LanguageTypes> language_types();

}  // namespace redraft
