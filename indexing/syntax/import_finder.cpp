#include "indexing/syntax/import_finder.h"

#include <algorithm>

#include "indexing/syntax/text_lines.h"

namespace redraft {
namespace {

bool is_function(const NodeRole& role) {
  return role.definition != nullptr && role.definition->kind == DefinitionKind::kFunction;
}

bool is_condition(const TSNode& node) {
  const std::string_view type = type_of(node);
  return type.find("if_") != std::string_view::npos || type.starts_with("try") ||
         type.starts_with("preproc_if") || type.starts_with("preproc_el");
}

// What stands above a file's imports: comments, the package's name, a text that documents it.
bool is_head(const Grammar& grammar, const TSNode& node) {
  constexpr std::string_view kHeads =
      "package_clause package_declaration hash_bang_line php_tag preproc_call "
      "file_scoped_namespace_declaration";
  if (grammar.role(node).leading || type_of(node) == "comment" || has_word(kHeads, type_of(node)))
    return true;
  return type_of(node) == "expression_statement" && ts_node_named_child_count(node) == 1 &&
         type_of(ts_node_named_child(node, 0)) == "string";
}

std::size_t behind_line(std::string_view text, std::size_t end) {
  const bool is_behind = end > 0 && text[end - 1] == '\n';
  return is_behind ? end : std::min(line_end(text, end) + 1, text.size());
}

// Behind the head of a file without imports. Comments right above what follows belong to that.
std::size_t behind_head(const Grammar& grammar, std::string_view text, const TSNode& root) {
  std::size_t place = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::uint32_t count = ts_node_child_count(root);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode node = ts_node_child(root, i);
    if (!is_head(grammar, node)) break;
    const std::size_t end = behind_line(text, range_of(node).end);
    const bool is_comment = grammar.role(node).leading || type_of(node) == "comment";
    const bool is_apart = end >= text.size() || skip_blanks(text, end) >= text.size() ||
                          text[skip_blanks(text, end)] == '\n';
    if (!is_comment || is_apart || text.substr(range_of(node).begin).starts_with("#!")) place = end;
  }
  return place;
}

}  // namespace

Imports find_imports(const Grammar& grammar, std::string_view text, const TSNode& root) {
  Imports imports;
  std::size_t first_function = text.size();
  std::size_t last_import = 0;
  TreeCursor cursor(root);
  for (bool more = true; more;) {
    const std::vector<TSNode>& path = cursor.path();
    const NodeRole& role = grammar.role(cursor.node());
    const ByteRange range = range_of(cursor.node());
    if (role.definition != nullptr && path.size() <= 3)
      first_function = std::min(first_function, range.begin);
    if (role.import) {
      Import import{range};
      for (const TSNode& around : path) {
        import.in_function |= is_function(grammar.role(around));
        import.conditional |= is_condition(around);
      }
      if (!import.in_function && !import.conditional && range.begin < first_function)
        last_import = behind_line(text, range.end);
      imports.all.push_back(import);
    }
    more = role.import ? cursor.to_next_outside() : cursor.to_next();
  }
  imports.place = last_import > 0 ? last_import : behind_head(grammar, text, root);
  return imports;
}

}  // namespace redraft
