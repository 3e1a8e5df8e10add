#include "indexing/syntax/bracket_list.h"

#include "text/strings/word_list.h"

namespace redraft {
namespace {

// From the first bracket among the children to the one that closes it.
std::optional<ByteRange> brackets_in(const TSNode& node) {
  std::optional<ByteRange> range;
  TreeCursor cursor(node);
  for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
    const ByteRange child = range_of(cursor.node());
    if (!range && type_of(cursor.node()) == "(") range = child;
    if (!range || type_of(cursor.node()) != ")") continue;
    range->end = child.end;
    return range;
  }
  return std::nullopt;
}

}  // namespace

std::optional<BracketList> list_in(const TSNode& node, std::string_view types) {
  if (has_word(types, type_of(node))) {
    const std::optional<ByteRange> range = brackets_in(node);
    return range ? std::optional(BracketList{node, *range}) : std::nullopt;
  }
  TreeCursor cursor(node);
  for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
    if (has_word(types, type_of(cursor.node())))
      return BracketList{cursor.node(), range_of(cursor.node())};
  }
  return std::nullopt;
}

bool has_error(const BracketList& list) {
  TreeCursor cursor(list.node);
  if (range_of(list.node) == list.range) return ts_node_has_error(list.node);
  for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
    if (list.range.contains(range_of(cursor.node())) && ts_node_has_error(cursor.node()))
      return true;
  }
  return false;
}

}  // namespace redraft
