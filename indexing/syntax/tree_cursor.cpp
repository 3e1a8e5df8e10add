#include "indexing/syntax/tree_cursor.h"

namespace redraft {

TSNode child_by_field(const TSNode& node, std::string_view field) {
  return ts_node_child_by_field_name(node, field.data(), static_cast<std::uint32_t>(field.size()));
}

TreeCursor::TreeCursor(const TSNode& root) : cursor_(ts_tree_cursor_new(root)), path_{root} {}

TreeCursor::~TreeCursor() { ts_tree_cursor_delete(&cursor_); }

std::string_view TreeCursor::field() const {
  const char* const name = ts_tree_cursor_current_field_name(&cursor_);
  return name == nullptr ? std::string_view() : std::string_view(name);
}

bool TreeCursor::to_first_child() {
  if (!ts_tree_cursor_goto_first_child(&cursor_)) return false;
  path_.push_back(ts_tree_cursor_current_node(&cursor_));
  return true;
}

bool TreeCursor::to_next_sibling() {
  if (!ts_tree_cursor_goto_next_sibling(&cursor_)) return false;
  path_.back() = ts_tree_cursor_current_node(&cursor_);
  return true;
}

bool TreeCursor::to_parent() {
  if (path_.size() == 1) return false;
  ts_tree_cursor_goto_parent(&cursor_);
  path_.pop_back();
  return true;
}

bool TreeCursor::to_child_behind(std::size_t offset) {
  const auto byte = static_cast<std::uint32_t>(offset);
  if (ts_tree_cursor_goto_first_child_for_byte(&cursor_, byte) < 0) return false;
  path_.push_back(ts_tree_cursor_current_node(&cursor_));
  return true;
}

bool TreeCursor::to_next_outside() {
  do {
    if (to_next_sibling()) return true;
  } while (to_parent());
  return false;
}

void TreeCursor::descend_to(std::size_t offset) {
  while (to_child_behind(offset)) {
    if (range_of(node()).contains(offset)) continue;
    to_parent();
    return;
  }
}

}  // namespace redraft
