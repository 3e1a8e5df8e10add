#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/undefined_names.h"

namespace redraft {

// What a syntax tree, or the lines without one (text_doubts.h), finds wrong with an edit.
struct Doubt {
  enum class Kind : std::uint8_t {
    kSyntax,     // there are more syntax errors than before
    kLost,       // a function or type is gone, and the instruction does not remove any
    kRenamed,    // it has another name or stands elsewhere, and the instruction asks for neither
    kRepeated,   // a definition is there twice
    kLeftOut,    // "# ... existing code ..." stands where lines were
    kUncertain,  // a name that may mean something else, see edit_rename.h
    kBranch,     // what was done otherwise is gone, and the instruction does not remove it
    kImport,     // what a file imported is gone, and is used or was not to be removed
    kRemoved,    // many lines are gone, and the instruction does not remove any
    kBrackets,   // a bracket or tag that was closed is not, or the other way round
    kPlace,      // another assistant's change may belong elsewhere, see change_place.h
    kUndefined,  // a name is used that nothing defines, see undefined_names.h
  };
  Kind kind = Kind::kSyntax;
  std::string reason;      // for people: "the definition of 'FTP.putcmd' is gone"
  std::vector<int> edits;  // indices of the edits that it concerns, ascending; not empty
  // None of the other edits makes sense without these: a rename that leaves uses of the old name,
  // say. Then all edits are taken, or none (settled_doubts.h).
  bool concerns_all = false;
  friend bool operator==(const Doubt&, const Doubt&) = default;
};

// How edits reach the text of `after` from that of `before`, and why they were made.
struct EditInQuestion {
  const SyntaxTree& before;
  const SyntaxTree& after;
  const std::vector<TextEdit>& edits;  // against `before`, ascending, disjoint
  std::string_view instruction;
  OtherFiles others = {};
};

// The errors first, then by the place in `before`. Of functions and types, see NamedDefinition.
std::vector<Doubt> doubts_about(const EditInQuestion& edit);

// "the definition of 'a' is gone; 'b' is defined twice"
std::string reasons_of(const std::vector<Doubt>& doubts);

}  // namespace redraft
