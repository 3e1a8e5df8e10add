#include "indexing/syntax/container_finder.h"

#include <algorithm>
#include <vector>

#include "indexing/syntax/tree_cursor.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

// Deeper places are between brackets that nobody reads.
constexpr std::size_t kMaxDepth = 1000;

class ContainerFinder {
 public:
  ContainerFinder(const Grammar& grammar, std::string_view text, const TSNode& root)
      : grammar_(grammar), types_(**grammar.language.containers), text_(text), root_(root) {}

  std::optional<ByteRange> find(std::size_t offset, AddedPart part) const {
    TreeCursor cursor(root_);
    const std::size_t place = beside(text_, std::min(offset, text_.size()));
    cursor.descend_to(place);
    const std::vector<TSNode> path = cursor.path();
    if (path.size() > kMaxDepth) return std::nullopt;
    if (part == AddedPart::kOption) return options_around(path, place);
    const TSNode function = function_around(path);
    if (part == AddedPart::kParameter)
      return ts_node_is_null(function) ? std::nullopt : std::optional(lines_of(function));
    const std::string_view types = types_for(part);
    for (std::size_t i = path.size(); i-- > 1;) {
      if (is_one_of(types, path[i])) return lines_of(path[i]);
    }
    return ts_node_is_null(function) ? std::nullopt : nearest(types, function, place);
  }

 private:
  std::string_view types_for(AddedPart part) const {
    switch (part) {
      case AddedPart::kCase:
        return types_.cases;
      case AddedPart::kField:
        return types_.fields;
      case AddedPart::kMethod:
        return types_.methods;
      case AddedPart::kEntry:
        return types_.entries;
      case AddedPart::kOption:
      case AddedPart::kParameter:
        break;
    }
    return {};
  }

  static bool is_one_of(std::string_view types, const TSNode& node) {
    return std::ranges::any_of(split_words(types), [&](std::string_view word) {
      const std::size_t mark = word.find('?');
      if (word.substr(0, mark) != type_of(node)) return false;
      return mark == word.npos || !ts_node_is_null(child_by_field(node, word.substr(mark + 1)));
    });
  }

  ByteRange lines_of(const TSNode& node) const {
    const ByteRange range = range_of(node);
    return whole_lines(text_, {range.begin, without_space(text_, range)});
  }

  // The innermost one with a name; null: none.
  TSNode function_around(const std::vector<TSNode>& path) const {
    for (std::size_t i = path.size(); i-- > 1;) {
      const DefinitionType* const type = grammar_.role(path[i]).definition;
      if (type != nullptr && type->kind == DefinitionKind::kFunction) return path[i];
    }
    return TSNode{};
  }

  template <typename Take>
  static void for_each_node(const TSNode& within, const Take& take) {
    TreeCursor cursor(within);
    for (bool more = true; more;
         more = cursor.path().size() < kMaxDepth ? cursor.to_next() : cursor.to_next_outside())
      take(cursor.node());
  }

  std::optional<ByteRange> nearest(std::string_view types, const TSNode& within,
                                   std::size_t place) const {
    std::optional<ByteRange> best;
    const auto distance = [&](const ByteRange& lines) {
      return lines.begin > place ? lines.begin - place : place - lines.end;
    };
    for_each_node(within, [&](const TSNode& node) {
      if (!is_one_of(types, node)) return;
      const ByteRange lines = lines_of(node);
      if (!best || distance(lines) < distance(*best)) best = lines;
    });
    return best;
  }

  // The statements that declare options, in the function around or in none.
  std::optional<ByteRange> options_around(const std::vector<TSNode>& path,
                                          std::size_t place) const {
    const TSNode function = function_around(path);
    const TSNode within = ts_node_is_null(function) ? root_ : function;
    std::optional<ByteRange> all;
    for_each_node(within, [&](const TSNode& node) {
      if (!grammar_.role(node).identifier || ts_node_child_count(node) > 0) return;
      const ByteRange name = range_of(node);
      const std::string_view word = text_.substr(name.begin, name.size());
      if (!has_word(types_.option_calls, word) || !text_.substr(name.end).starts_with('(')) return;
      const ByteRange lines = statement_lines(name.begin);
      if (!all) all = lines;
      *all = {std::min(all->begin, lines.begin), std::max(all->end, lines.end)};
    });
    const bool is_single = all && lines_at(place) == *all;
    return is_single ? std::nullopt : all;
  }

  ByteRange lines_at(std::size_t place) const { return whole_lines(text_, {place, place}); }

  // The lines of the innermost statement around, by the nodes whose children are some.
  ByteRange statement_lines(std::size_t offset) const {
    TreeCursor cursor(root_);
    cursor.descend_to(offset);
    const std::vector<TSNode>& path = cursor.path();
    for (std::size_t i = path.size(); i-- > 1;) {
      const bool is_unit = grammar_.role(path[i - 1]).sequence && ts_node_is_named(path[i]) &&
                           begins_line(text_, range_of(path[i]).begin);
      if (is_unit) return lines_of(path[i]);
    }
    return lines_at(offset);
  }

  const Grammar& grammar_;
  const ContainerTypes& types_;
  std::string_view text_;
  TSNode root_;
};

}  // namespace

std::optional<ByteRange> find_container(const Grammar& grammar, std::string_view text,
                                        const TSNode& root, std::size_t offset, AddedPart part) {
  if (*grammar.language.containers == nullptr) return std::nullopt;
  return ContainerFinder(grammar, text, root).find(offset, part);
}

}  // namespace redraft
