#include "indexing/syntax/import_finder.h"

#include <algorithm>
#include <limits>

#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// Definitions further inside do not end what a file begins with.
constexpr std::size_t kOuterDepth = 3;

bool is_function(const NodeRole& role) {
  return role.definition != nullptr && role.definition->kind == DefinitionKind::kFunction;
}

// Whether only definitions, their bodies and what wraps them are around the last node of `path`.
bool is_direct(const Grammar& grammar, const std::vector<TSNode>& path) {
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const NodeRole& role = grammar.role(path[i]);
    const bool is_body = grammar.role(path[i - 1]).definition != nullptr;
    if (role.definition == nullptr && !role.wrapper && !is_body) return false;
  }
  return true;
}

// What stands above a file's imports: comments, the package's name, a text that documents it.
bool is_comment(const Grammar& grammar, const TSNode& node) {
  return grammar.role(node).leading || type_of(node) == "comment";
}
bool is_head(const Grammar& grammar, const TSNode& node) {
  if (is_comment(grammar, node) || grammar.role(node).import_head) return true;
  return type_of(node) == "expression_statement" && ts_node_named_child_count(node) == 1 &&
         type_of(ts_node_named_child(node, 0)) == "string";
}

// A comment that only counts at the beginning of a file: "#!", an encoding, Ruby's
// "frozen_string_literal", and Rust's "//!", which documents the file.
bool is_magic(std::string_view comment) {
  if (comment.starts_with("#!") || comment.starts_with("//!")) return true;
  const std::string_view line = comment.substr(0, comment.find('\n'));
  constexpr std::string_view kWords[] = {"coding:", "coding=", "frozen_string_literal:"};
  return comment.starts_with('#') && std::ranges::any_of(kWords, [&](std::string_view word) {
           return line.find(word) != std::string_view::npos;
         });
}

// The definition of the name that an include guard asks for; null: `node` is none.
TSNode guard_of(std::string_view text, const TSNode& node) {
  if (type_of(node) != "preproc_ifdef" || ts_node_named_child_count(node) < 2) return {};
  const TSNode name = ts_node_named_child(node, 0), define = ts_node_named_child(node, 1);
  if (type_of(define) != "preproc_def" || ts_node_named_child_count(define) != 1) return {};
  const ByteRange asked = range_of(name), defined = range_of(ts_node_named_child(define, 0));
  const bool is_guard =
      text.substr(asked.begin, asked.size()) == text.substr(defined.begin, defined.size());
  return is_guard ? define : TSNode{};
}

// The beginning of the next line. Some nodes end behind their line's newline.
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
    if (const TSNode guard = guard_of(text, node); !ts_node_is_null(guard))
      return behind_line(text, range_of(guard).end);
    if (!is_head(grammar, node)) break;
    const std::size_t end = behind_line(text, range_of(node).end);
    const std::size_t next = skip_blanks(text, end);
    const bool is_apart = next >= text.size() || text[next] == '\n';
    if (!is_comment(grammar, node) || is_apart || is_magic(text.substr(range_of(node).begin)))
      place = end;
  }
  return place;
}

}  // namespace

Imports find_imports(const Grammar& grammar, std::string_view text, const TSNode& root) {
  Imports imports;
  std::size_t first_definition = text.size();
  // The last import above all definitions goes on; one within an include guard does, too, but not
  // one within a condition of its own.
  std::size_t least_depth = std::numeric_limits<std::size_t>::max();
  TreeCursor cursor(root);
  for (bool more = true; more;) {
    const std::vector<TSNode>& path = cursor.path();
    const NodeRole& role = grammar.role(cursor.node());
    const ByteRange range = range_of(cursor.node());
    if (role.definition != nullptr && path.size() <= kOuterDepth)
      first_definition = std::min(first_definition, range.begin);
    if (role.import) {
      const bool in_function = std::ranges::any_of(
          path, [&](const TSNode& node) { return is_function(grammar.role(node)); });
      imports.all.push_back({range, in_function, is_direct(grammar, path)});
      if (range.begin < first_definition && path.size() <= least_depth) {
        least_depth = path.size();
        imports.place = behind_line(text, range.end);
      }
    }
    more = role.import ? cursor.to_next_outside() : cursor.to_next();
  }
  if (imports.place == 0) imports.place = behind_head(grammar, text, root);
  return imports;
}

}  // namespace redraft
