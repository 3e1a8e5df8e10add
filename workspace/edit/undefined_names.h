// Names that an edit uses and nothing defines
//
// A name counts if the file as it was did not use it without declaring it, and if it is, where it
// stands in the file as it is now,
//   - declared in no scope around it, and imported nowhere;
//   - no builtin of the language (Language::known_names);
//   - not made known by other files. What a file knows of others depends on the language: in
//     Python, Rust and scripts what it imports, in Go, Java and C# what its package or namespace
//     has, in C and C++ all that it includes. Where the index does not tell, only a name that
//     people give to variables counts: in lower case, used as a value.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// What the index knows about the other files of the workspace.
struct OtherFiles {
  std::function<bool(const std::string& name)> defines = {};  // empty: there is no index
  bool is_complete = false;  // what it does not know as a function or type, no file defines
};

struct UndefinedName {
  std::string name;
  ByteRange place;         // the first one, of the text as it is now
  bool was_known = false;  // only the file as it was declared it
  friend bool operator==(const UndefinedName&, const UndefinedName&) = default;
};

// What changed: places of `before`, and of `after` what stands there now.
struct ChangedTrees {
  const SyntaxTree& before;
  const SyntaxTree& after;
  const std::vector<ByteRange>& old_places;
  const std::vector<ByteRange>& new_places;
};

// A name that the file as it is now uses and does not declare, and the file as it was did not use
// so. It may well be a builtin, or come from another file.
struct UndeclaredName {
  std::string name;
  std::vector<UndeclaredUse> uses;
  bool was_known = false;  // only the file as it was declared it
};

// Those that stand in what changed, in alphabetical order. Empty where an import makes known all
// names of something.
std::vector<UndeclaredName> undeclared_names(const ChangedTrees& trees);

// In the order of their places. Empty if a place of the change does not parse.
std::vector<UndefinedName> undefined_names(const ChangedTrees& trees,
                                           const OtherFiles& others = {});

}  // namespace redraft
