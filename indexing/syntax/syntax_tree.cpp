#include "indexing/syntax/syntax_tree.h"

#include <algorithm>
#include <utility>

#include "indexing/syntax/call_finder.h"
#include "indexing/syntax/container_finder.h"
#include "indexing/syntax/definition_finder.h"
#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/import_finder.h"
#include "indexing/syntax/name_finder.h"
#include "indexing/syntax/parser.h"
#include "indexing/syntax/region_finder.h"
#include "indexing/syntax/result_finder.h"
#include "indexing/syntax/signature_finder.h"
#include "indexing/syntax/tree_cursor.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

bool is_leaf(const TSNode& node) { return ts_node_child_count(node) == 0; }

bool same_node(const TSNode& a, const TSNode& b) {
  return ts_node_symbol(a) == ts_node_symbol(b) && range_of(a) == range_of(b) &&
         ts_node_is_missing(a) == ts_node_is_missing(b) &&
         ts_node_is_extra(a) == ts_node_is_extra(b);
}

}  // namespace

bool SyntaxTree::knows(std::string_view language_id) {
  return find_grammar(language_id) != nullptr;
}

std::optional<SyntaxTree> SyntaxTree::parse(std::shared_ptr<const std::string> text,
                                            std::string_view language_id,
                                            const ParseLimits& limits) {
  const Grammar* grammar = find_grammar(language_id);
  if (grammar == nullptr) return std::nullopt;
  TreePointer tree = parse_text(grammar->parser, *text, nullptr, limits);
  if (tree == nullptr) return std::nullopt;
  return SyntaxTree(*grammar, std::move(text), std::move(tree));
}

std::optional<SyntaxTree> SyntaxTree::edited(std::shared_ptr<const std::string> text,
                                             const ParseLimits& limits) const {
  if (text->size() > limits.text_bytes) return std::nullopt;
  const TreePointer moved = move_tree(*tree_, *text_, *text);
  TreePointer tree = parse_text(grammar_->parser, *text, moved.get(), limits);
  if (tree == nullptr) return std::nullopt;
  return SyntaxTree(*grammar_, std::move(text), std::move(tree));
}

std::optional<Definition> SyntaxTree::enclosing_definition(std::size_t offset) const {
  return DefinitionFinder(*grammar_, *text_, ts_tree_root_node(tree_.get())).enclosing(offset);
}

std::vector<Definition> SyntaxTree::definitions() const {
  return DefinitionFinder(*grammar_, *text_, ts_tree_root_node(tree_.get())).all();
}

RegionChain SyntaxTree::regions_around(std::size_t offset, std::size_t max_bytes) const {
  return RegionFinder(*grammar_, *text_, ts_tree_root_node(tree_.get())).around(offset, max_bytes);
}

std::optional<ByteRange> SyntaxTree::container_around(std::size_t offset, AddedPart part) const {
  return find_container(*grammar_, *text_, ts_tree_root_node(tree_.get()), offset, part);
}

std::vector<ByteRange> SyntaxTree::other_branches() const {
  std::vector<ByteRange> found;
  TreeCursor cursor(ts_tree_root_node(tree_.get()));
  for (bool more = true; more; more = cursor.to_next()) {
    // All grammars call it so; `a ? b : c` has one, too.
    if (cursor.field() != "alternative") continue;
    const std::string_view whole = type_of(cursor.path()[cursor.path().size() - 2]);
    if (whole.starts_with("if") || whole.starts_with("els"))
      found.push_back(range_of(cursor.node()));
  }
  return found;
}

std::vector<ByteRange> SyntaxTree::identifiers(const ByteRange& range) const {
  std::vector<ByteRange> found;
  TreeCursor cursor(ts_tree_root_node(tree_.get()));
  for (bool more = true; more;) {
    const TSNode& node = cursor.node();
    const ByteRange place = range_of(node);
    if (place.begin >= range.end) break;
    if (is_leaf(node) && grammar_->role(node).identifier && place.begin >= range.begin &&
        place.end <= range.end && !place.empty()) {
      found.push_back(place);
    }
    more = cursor.to_child_behind(range.begin) || cursor.to_next_outside();
  }
  return found;
}

Imports SyntaxTree::imports() const {
  return find_imports(*grammar_, *text_, ts_tree_root_node(tree_.get()));
}

std::optional<NameMeanings> SyntaxTree::meanings_of(std::string_view name) const {
  if (grammar_->scopes() == nullptr) return std::nullopt;
  return find_meanings(*grammar_, *text_, ts_tree_root_node(tree_.get()), name);
}

std::vector<Signature> SyntaxTree::signatures() const {
  if (grammar_->signatures() == nullptr) return {};
  return find_signatures(*grammar_, *text_, ts_tree_root_node(tree_.get()));
}

std::vector<Call> SyntaxTree::calls_of(std::string_view name) const {
  if (grammar_->signatures() == nullptr) return {};
  return find_calls(*grammar_, *text_, ts_tree_root_node(tree_.get()), name);
}

std::vector<ResultMismatch> SyntaxTree::result_mismatches() const {
  return find_result_mismatches(*grammar_, *text_, ts_tree_root_node(tree_.get()));
}

CallStyle SyntaxTree::call_style() const {
  return grammar_->signatures() == nullptr ? CallStyle() : grammar_->signatures()->style;
}

std::vector<std::size_t> SyntaxTree::line_tokens() const {
  std::vector<std::size_t> found;
  const std::string_view text = *text_;
  TreeCursor cursor(ts_tree_root_node(tree_.get()));
  for (bool more = true; more; more = cursor.to_next()) {
    if (!is_leaf(cursor.node())) continue;
    const ByteRange place = range_of(cursor.node());
    const std::size_t begin = skip_space(text.substr(0, place.end), place.begin);
    if (begin < place.end && begins_line(text, begin)) found.push_back(begin);
  }
  return found;
}

bool SyntaxTree::in_comment(std::size_t offset) const {
  const std::string_view text = *text_;
  // At the end of a line a comment there is the one before the place.
  const bool line_end =
      offset > 0 && (offset == text.size() || text[offset] == '\n' || text[offset] == '\r');
  // Not by asking each node for its parent: tree-sitter looks for that from the root.
  TreeCursor cursor(ts_tree_root_node(tree_.get()));
  cursor.descend_to(line_end ? offset - 1 : offset);
  for (std::size_t i = cursor.path().size(); i-- > 0;) {
    const TSNode& node = cursor.path()[i];
    if (!type_of(node).ends_with("comment")) continue;
    const ByteRange place = range_of(node);
    const std::string_view comment = text.substr(place.begin, place.size());
    const bool closed = std::ranges::any_of(*language().comments, [&](const CommentMarks& marks) {
      return !marks.close.empty() && comment.ends_with(marks.close);
    });
    return place.begin < offset && (offset < place.end || !closed);
  }
  return false;
}

const Language& SyntaxTree::language() const { return grammar_->language; }

bool SyntaxTree::has_errors() const { return ts_node_has_error(ts_tree_root_node(tree_.get())); }

std::vector<SyntaxError> SyntaxTree::errors() const {
  std::vector<SyntaxError> found;
  TreeCursor cursor(ts_tree_root_node(tree_.get()));
  for (bool more = true; more;) {
    const TSNode& node = cursor.node();
    const bool missing = ts_node_is_missing(node);
    const bool is_error = missing || ts_node_is_error(node);
    if (is_error) found.push_back({range_of(node), missing});
    const bool inside = !is_error && ts_node_has_error(node);
    more = (inside && cursor.to_first_child()) || cursor.to_next_outside();
  }
  return found;
}

bool SyntaxTree::same_structure(const SyntaxTree& other) const {
  TreeCursor a(ts_tree_root_node(tree_.get()));
  TreeCursor b(ts_tree_root_node(other.tree_.get()));
  while (same_node(a.node(), b.node())) {
    const bool a_more = a.to_next();
    const bool b_more = b.to_next();
    if (a_more != b_more || a.path().size() != b.path().size()) return false;
    if (!a_more) return true;
  }
  return false;
}

bool breaks_syntax(const SyntaxTree& before, const SyntaxTree& after) {
  return after.has_errors() && after.errors().size() > before.errors().size();
}

}  // namespace redraft
