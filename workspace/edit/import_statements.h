#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// An import that a file lacks.
struct NeededImport {
  std::string statement;
  // With these it may become a part of a statement that imports other names of the module; empty:
  // it stands by itself.
  std::string module = {}, name = {};
  friend bool operator==(const NeededImport&, const NeededImport&) = default;
};

// The imports of one statement, each by itself: "import os, re" is two. A statement of another form
// stays one.
std::vector<NeededImport> split_import(std::string_view statement, const SyntaxTree& tree);

// The names that a file has by this import and by no other; empty if that cannot be told, or if it
// imports something for its effects.
std::vector<std::string> names_bound_by(const SyntaxTree& tree, const Import& import);

// Whether the file uses one of the names outside of its imports, even in a comment.
bool uses_one_of(const SyntaxTree& tree, const std::vector<std::string>& names);

// The text of the file with the imports: in existing statements, in order if these have one, or as
// lines of their own behind the others, in the given order.
std::string with_imports(const SyntaxTree& tree, const std::vector<NeededImport>& imports);

}  // namespace redraft
