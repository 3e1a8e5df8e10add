#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/enclosing_types.h"
#include "indexing/syntax/tree_cursor.h"
#include "languages/scope_types.h"

namespace redraft {

// What a text says about one of its types.
struct TypeFacts {
  std::string bases;             // as they are written: "(A, B)", ": public A"
  std::string decorators;        // above it
  bool has_constructor = false;  // of its own, by ScopeTypes::constructor
};

// The types that a text declares. Goes through the tree when it is first asked.
class TypeTable {
 public:
  TypeTable(const ScopeTypes& types, std::string_view text, const TSNode& root)
      : types_(types), around_(types, text), text_(text), root_(root) {}

  // Null: the text declares no such type.
  const TypeFacts* find(std::string_view name);
  // The type and those of the text that it is based on, the nearest first; empty: the text declares
  // no such type.
  std::vector<std::string> line_of(std::string_view name);

 private:
  void read();
  void add(NamePlace place);

  const ScopeTypes& types_;
  EnclosingTypes around_;
  std::string_view text_;
  TSNode root_;
  bool is_read_ = false;
  std::map<std::string, TypeFacts, std::less<>> facts_;
};

}  // namespace redraft
