#include "indexing/syntax/definition_finder.h"

#include <algorithm>

#include "text/strings/text_lines.h"

namespace redraft {
namespace {

constexpr int kLinesAbove = 200;

TSNode first_child(const TSNode& node) { return ts_node_named_child(node, 0); }

TSNode last_child(const TSNode& node) {
  const std::uint32_t count = ts_node_named_child_count(node);
  return ts_node_named_child(node, count == 0 ? 0 : count - 1);
}

bool is_heading(const TSNode& node) {
  return !ts_node_is_null(node) &&
         (type_of(node) == "atx_heading" || type_of(node) == "setext_heading");
}

// One step towards the name from the node at its place; null if that node is the name.
TSNode inside_name(const TSNode& node) {
  const std::string_view type = type_of(node);
  if (is_heading(node)) return child_by_field(node, "heading_content");
  if (type == "start_tag" || type == "self_closing_tag" || type == "string")
    return first_child(node);
  if (type == "reference_declarator" || type == "parenthesized_declarator") return last_child(node);
  return child_by_field(node, "declarator");  // in C and C++: `*name(…)`
}

// From the first child to the one before a child of type `end`.
ByteRange name_before(std::string_view end, const TSNode& definition) {
  ByteRange name = range_of(first_child(definition));
  const std::uint32_t count = ts_node_named_child_count(definition);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_named_child(definition, i);
    if (type_of(child) == end) break;
    name.end = range_of(child).end;
  }
  return name;
}

ByteRange name_of(const DefinitionType& type, const TSNode& definition) {
  if (!type.name_end.empty()) return name_before(type.name_end, definition);
  TSNode node = type.name.empty() ? first_child(definition) : child_by_field(definition, type.name);
  if (ts_node_is_null(node)) return {};
  for (TSNode inner = inside_name(node); !ts_node_is_null(inner); inner = inside_name(node))
    node = inner;
  return range_of(node);
}

bool is_value(const std::vector<TSNode>& path, std::size_t index) {
  const std::string_view type = type_of(path[index]);
  const bool in_object = index > 0 && type_of(path[index - 1]) == "object";
  return in_object || type == "pair" || type == "assignment_expression" || type == "field";
}

}  // namespace

void LeadingRuns::add(const ByteRange& range) {
  if (!begins_line(text_, range.begin)) return;
  const std::size_t end = without_space(text_, range);
  if (!runs_.empty() && follows(text_, runs_.back().end, range.begin))
    runs_.back().end = end;
  else
    runs_.push_back({range.begin, end});
}

std::size_t LeadingRuns::begin_above(std::size_t begin) const {
  if (!begins_line(text_, begin)) return begin;
  const auto behind =
      std::upper_bound(runs_.begin(), runs_.end(), begin,
                       [](std::size_t offset, const ByteRange& run) { return offset < run.end; });
  if (behind == runs_.begin() || !follows(text_, std::prev(behind)->end, begin)) return begin;
  return std::prev(behind)->begin;
}

std::optional<Definition> DefinitionFinder::enclosing(std::size_t offset) const {
  if (offset > text_.size()) return std::nullopt;
  const std::size_t place = beside(text_, offset);
  if (std::optional<Definition> below = below_leading(place)) return below;
  TreeCursor cursor(root_);
  cursor.descend_to(place);
  const std::vector<Definition> found = around(cursor.path(), place);
  return found.empty() ? std::nullopt : std::optional(with_leading(found.back()));
}

std::vector<Definition> DefinitionFinder::all() const {
  std::vector<Definition> found;
  LeadingRuns leading(text_);
  std::vector<std::size_t> around;  // the path lengths of open definitions
  TreeCursor cursor(root_);
  bool more = true;
  while (more) {
    const std::vector<TSNode>& path = cursor.path();
    while (!around.empty() && around.back() >= path.size()) around.pop_back();
    if (grammar_.role(cursor.node()).leading) {
      leading.add(range_of(cursor.node()));
      more = cursor.to_next_outside();
      continue;
    }
    if (std::optional<Definition> definition = definition_at(path, path.size() - 1)) {
      definition->depth = static_cast<int>(around.size());
      definition->range.begin = leading.begin_above(definition->range.begin);
      found.push_back(*definition);
      around.push_back(path.size());
    }
    more = cursor.to_next();
  }
  return found;
}

std::optional<Definition> DefinitionFinder::definition_at(const std::vector<TSNode>& path,
                                                          std::size_t index) const {
  const DefinitionType* type = grammar_.role(path[index]).definition;
  if (type == nullptr || !passes(*type, path[index])) return std::nullopt;
  ByteRange range = with_wrappers(path, index);
  range.end = without_space(text_, range);
  return Definition{type->kind, name_of(*type, path[index]), range, 0, is_value(path, index)};
}

bool DefinitionFinder::passes(const DefinitionType& type, const TSNode& node) const {
  switch (type.test) {
    case DefinitionTest::kAlways:
      return true;
    case DefinitionTest::kHasBody:
      return !ts_node_is_null(child_by_field(node, "body"));
    case DefinitionTest::kHoldsFunction:
      return holds_function(type, node);
    case DefinitionTest::kSeveralLines:
      return has_several_lines(node);
    case DefinitionTest::kHasHeading:
      return is_heading(first_child(node));
  }
  return false;
}

// Blank lines at its end do not count.
bool DefinitionFinder::has_several_lines(const TSNode& node) const {
  const ByteRange range = range_of(node);
  const std::size_t end = std::max(without_space(text_, range), range.begin);
  return text_.substr(range.begin, end - range.begin).find('\n') != std::string_view::npos;
}

bool DefinitionFinder::holds_function(const DefinitionType& type, const TSNode& node) const {
  TSNode value = type.value.empty() ? last_child(node) : child_by_field(node, type.value);
  if (!ts_node_is_null(value) && type_of(value) == "expression_list") value = first_child(value);
  return !ts_node_is_null(value) && grammar_.role(value).function_value;
}

ByteRange DefinitionFinder::with_wrappers(const std::vector<TSNode>& path,
                                          std::size_t index) const {
  while (index > 0) {
    const NodeRole& around = grammar_.role(path[index - 1]);
    if (!around.wrapper) break;
    if (around.lone_wrapper && ts_node_named_child_count(path[index - 1]) != 1) break;
    --index;
  }
  return range_of(path[index]);
}

std::vector<Definition> DefinitionFinder::around(const std::vector<TSNode>& path,
                                                 std::size_t place) const {
  std::vector<Definition> found;
  for (std::size_t index = 0; index < path.size(); ++index) {
    std::optional<Definition> definition = definition_at(path, index);
    if (!definition && grammar_.role(path[index]).wrapper) {
      definition = wrapped(path, index);
      if (definition && !definition->range.contains(place)) definition.reset();
    }
    if (!definition) continue;
    // A duplicate, when the path continues from a wrapper into the definition it wraps.
    if (!found.empty() && found.back().range == definition->range) found.pop_back();
    definition->depth = static_cast<int>(found.size());
    found.push_back(*definition);
  }
  return found;
}

std::optional<Definition> DefinitionFinder::wrapped(const std::vector<TSNode>& path,
                                                    std::size_t index) const {
  const std::vector<TSNode> inside = path_to_wrapped(path, index);
  return inside.empty() ? std::nullopt : definition_at(inside, inside.size() - 1);
}

std::vector<TSNode> DefinitionFinder::path_to_wrapped(const std::vector<TSNode>& path,
                                                      std::size_t index) const {
  std::size_t outermost = index;
  while (outermost > 0 && grammar_.role(path[outermost - 1]).wrapper) --outermost;
  const auto begin = path.begin();
  std::vector<TSNode> inside(begin + static_cast<std::ptrdiff_t>(outermost),
                             begin + static_cast<std::ptrdiff_t>(index) + 1);
  while (grammar_.role(inside.back()).wrapper) {
    TreeCursor child(inside.back());
    const auto leads_on = [&] {
      const NodeRole& role = grammar_.role(child.node());
      return role.definition != nullptr || role.wrapper;
    };
    bool more = child.to_first_child();
    while (more && !leads_on()) more = child.to_next_sibling();
    if (!more) return {};
    inside.push_back(child.node());
  }
  return inside;
}

bool DefinitionFinder::to_leading(std::size_t offset, TreeCursor* cursor) const {
  cursor->descend_to(offset);
  const std::vector<TSNode>& path = cursor->path();
  const auto found = std::find_if(path.begin(), path.end(), [&](const TSNode& node) {
    return grammar_.role(node).leading && begins_line(text_, range_of(node).begin);
  });
  if (found == path.end()) return false;
  const auto depth = static_cast<std::size_t>(found - path.begin()) + 1;
  while (cursor->path().size() > depth) cursor->to_parent();
  return true;
}

std::optional<Definition> DefinitionFinder::below_leading(std::size_t offset) const {
  TreeCursor cursor(root_);
  if (!to_leading(offset, &cursor)) return std::nullopt;
  std::size_t place = offset;
  do {
    const std::size_t end = without_space(text_, range_of(cursor.node()));
    place = skip_space(text_, end);
    if (place == text_.size() || !follows(text_, end, place)) return std::nullopt;
    if (!cursor.to_next_outside()) return std::nullopt;
    while (!grammar_.role(cursor.node()).leading && range_of(cursor.node()).contains(place) &&
           cursor.to_child_behind(place)) {
    }
  } while (grammar_.role(cursor.node()).leading);
  TreeCursor below(root_);
  below.descend_to(place);
  for (const Definition& definition : around(below.path(), place)) {
    if (definition.range.begin != place) continue;
    const Definition whole = with_leading(definition);
    return whole.range.contains(offset) ? std::optional(whole) : std::nullopt;
  }
  return std::nullopt;
}

Definition DefinitionFinder::with_leading(Definition definition) const {
  const std::size_t begin = definition.range.begin;
  const std::size_t line = line_start(text_, begin);
  if (line == 0 || !begins_line(text_, begin)) return definition;
  const std::size_t above = skip_blanks(text_, line_start(text_, line - 1));
  TreeCursor cursor(root_);
  if (above >= line - 1 || !to_leading(above, &cursor)) return definition;
  // Starts with a few lines above, and looks at more if all of them belong to the definition.
  std::size_t from = line;
  for (int n_lines = kLinesAbove; from > 0; n_lines *= 4) {
    for (int i = 0; i < n_lines && from > 0; ++i) from = line_start(text_, from - 1);
    definition.range.begin = leading_between(from, begin).begin_above(begin);
    if (definition.range.begin > from) break;
  }
  return definition;
}

LeadingRuns DefinitionFinder::leading_between(std::size_t begin, std::size_t end) const {
  LeadingRuns runs(text_);
  TreeCursor cursor(root_);
  for (bool more = true; more && range_of(cursor.node()).begin < end;) {
    const bool leading = grammar_.role(cursor.node()).leading;
    if (leading) runs.add(range_of(cursor.node()));
    more = (!leading && cursor.to_child_behind(begin)) || cursor.to_next_outside();
  }
  return runs;
}

}  // namespace redraft
