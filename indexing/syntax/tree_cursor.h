#pragma once

#include <tree_sitter/api.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

inline ByteRange range_of(const TSNode& node) {
  return {ts_node_start_byte(node), ts_node_end_byte(node)};
}

inline std::string_view type_of(const TSNode& node) { return ts_node_type(node); }

// Null if the node has no such child.
TSNode child_by_field(const TSNode& node, std::string_view field);

// A node of a tree and the path to it. Moves take time by the number of children, never by depth.
class TreeCursor {
 public:
  explicit TreeCursor(const TSNode& root);
  ~TreeCursor();
  TreeCursor(const TreeCursor&) = delete;
  TreeCursor& operator=(const TreeCursor&) = delete;

  const TSNode& node() const { return path_.back(); }
  // From the root to node().
  const std::vector<TSNode>& path() const { return path_; }

  // By which the parent holds node(); empty: by none.
  std::string_view field() const;

  // Each returns false, and stays where it is, if there is no such node.
  bool to_first_child();
  bool to_next_sibling();
  bool to_parent();
  // The first child that ends after `offset`.
  bool to_child_behind(std::size_t offset);
  // The next node that is not inside this one.
  bool to_next_outside();
  // The next node in the order in which nodes begin.
  bool to_next() { return to_first_child() || to_next_outside(); }
  // As deep as a node contains the byte at `offset`.
  void descend_to(std::size_t offset);

 private:
  TSTreeCursor cursor_;
  std::vector<TSNode> path_;
};

}  // namespace redraft
