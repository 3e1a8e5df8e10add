// Members that an edit uses and a type of the file does not have
//
// What the file says of a type is all of it only in some cases:
//   - "self.x" in a class without bases: some line of the file has to give it an "x";
//   - "Kind::kOther" of an enumeration;
//   - Go and Rust: "Box{Title: 1}" of a struct of the file, and Go's "x.Title = 1".
// Classes that anything else adds members to (bases, decorators, parts in other files, names that
// the program makes) are left out.
#pragma once

#include <string>
#include <vector>

#include "workspace/edit/undefined_names.h"

namespace redraft {

struct UndefinedMember {
  std::string owner, name;
  ByteRange place;  // the first one of this name, of the text as it is now
  friend bool operator==(const UndefinedMember&, const UndefinedMember&) = default;
};

// In the order of their places. Empty if the change broke the syntax.
std::vector<UndefinedMember> undefined_members(const ChangedTrees& trees);

}  // namespace redraft
