#pragma once

#include <optional>
#include <string_view>

#include "indexing/syntax/tree_cursor.h"

namespace redraft {

// Parameters or arguments in their brackets. In some grammars they are no node of their own: then
// `node` is the function or the call, and only its children in `range` belong to the list.
struct BracketList {
  TSNode node;
  ByteRange range;
};

// The list that `node` is, if it has one of `types`; otherwise the first child that is such a list.
std::optional<BracketList> list_in(const TSNode& node, std::string_view types);

// Whether a part of the list is wrong. What else belongs to its node does not count.
bool has_error(const BracketList& list);

}  // namespace redraft
