#include "indexing/syntax/type_table.h"

#include <algorithm>

#include "text/strings/names.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxLine = 32;  // types that a type is based on

// Whether one of the functions directly in `body` has that name.
bool has_function(const TSNode& body, std::string_view text, std::string_view name) {
  const std::uint32_t count = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body);
  for (std::uint32_t i = 0; i < count; ++i) {
    TSNode function = ts_node_named_child(body, i);
    if (const TSNode inner = child_by_field(function, "definition"); !ts_node_is_null(inner))
      function = inner;  // below decorators
    const TSNode found = child_by_field(function, "name");
    if (ts_node_is_null(found)) continue;
    const ByteRange range = range_of(found);
    if (text.substr(range.begin, range.size()) == name) return true;
  }
  return false;
}

}  // namespace

const TypeFacts* TypeTable::find(std::string_view name) {
  if (!is_read_) read();
  const auto found = facts_.find(name);
  return found == facts_.end() ? nullptr : &found->second;
}

std::vector<std::string> TypeTable::line_of(std::string_view name) {
  std::vector<std::string> line;
  if (find(name) == nullptr) return line;
  line.emplace_back(name);
  for (std::size_t i = 0; i < line.size() && line.size() < kMaxLine; ++i) {
    for_each_name(find(line[i])->bases, [&](std::string_view base) {
      const bool is_new = std::ranges::find(line, base) == line.end();
      if (is_new && find(base) != nullptr) line.emplace_back(base);
    });
  }
  return line;
}

void TypeTable::read() {
  is_read_ = true;
  TreeCursor cursor(root_);
  do {
    if (!has_word(types_.types, type_of(cursor.node()))) continue;
    NamePlace place;
    place.path = cursor.path();
    place.path.push_back(cursor.node());  // a place within it
    add(std::move(place));
  } while (cursor.to_next());
}

void TypeTable::add(NamePlace place) {
  const std::size_t index = place.path.size() - 2;
  const std::string name(around_.name_of(place, index));
  if (name.empty()) return;
  TypeFacts& facts = facts_[name];
  const std::string_view bases = around_.bases_of(place);
  if (facts.bases.find(bases) == std::string::npos) facts.bases += " " + std::string(bases);
  const TSNode& node = place.path[index];
  const TSNode& outer = place.path[index - (index > 0 ? 1 : 0)];
  if (type_of(outer) == "decorated_definition") {
    const std::size_t begin = range_of(outer).begin;
    facts.decorators = text_.substr(begin, range_of(node).begin - begin);
  }
  if (!types_.constructor.empty() &&
      has_function(child_by_field(node, "body"), text_, types_.constructor))
    facts.has_constructor = true;
}

}  // namespace redraft
