#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/replacement.h"

namespace redraft {

// The replacements that an instruction names ("rename `count` to `total`, n to size", "use a deque
// instead of list", "foo -> bar"), if `text` has the old name as a whole word; in the instruction's
// order. Only a hint for drafts: misreading it never changes the output.
std::vector<Replacement> replacements_in(std::string_view instruction, std::string_view text);

// Another name that an instruction asks for.
struct RenameWish {
  enum class What : std::uint8_t { kAnything, kVariable, kParameter, kFunction, kType, kMember };
  std::string from;
  std::string to;          // if says_so, it may be no name of the language: "2x", "r#type"
  std::string owner = {};  // "Store" of "Store.size"; empty: none is named
  What what = What::kAnything;
  // It says "rename"; "replace a with b" means that only if there is no b.
  bool says_so = false;
  // The old name may be a description instead: "it", "the variable", "the loop" variable.
  bool may_describe = false;
  friend bool operator==(const RenameWish&, const RenameWish&) = default;
};

// "rename `count` to `total` and n to size", "please change the name of method get to fetch
// everywhere", "a -> b"; none if the instruction asks for anything beside, or does not say the name
// ("rename the parameter of f to n").
std::vector<RenameWish> renames_in(std::string_view instruction);
}  // namespace redraft
