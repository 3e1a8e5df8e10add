#include "indexing/syntax/result_finder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "indexing/syntax/name_finder.h"
#include "indexing/syntax/tree_cursor.h"

namespace redraft {
namespace {

std::string_view text_of(std::string_view text, const TSNode& node) {
  const ByteRange range = range_of(node);
  return text.substr(range.begin, range.size());
}

// "(a, b int, err error)" are three, "int" is one.
int count_results(const TSNode& result) {
  if (ts_node_is_null(result)) return 0;
  if (type_of(result) != "parameter_list") return 1;
  int n = 0;
  const std::uint32_t count = ts_node_named_child_count(result);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode parameter = ts_node_named_child(result, i);
    if (type_of(parameter) != "parameter_declaration") continue;
    const int n_names = static_cast<int>(ts_node_named_child_count(parameter)) - 1;
    n += std::max(1, n_names);
  }
  return n;
}

// The number of results of each function at the outermost level.
std::map<std::string_view, int> counts_of(const SignatureTypes& types, std::string_view text,
                                          const TSNode& root) {
  std::map<std::string_view, int> counts;
  const std::uint32_t count = ts_node_named_child_count(root);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode node = ts_node_named_child(root, i);
    const TSNode name = child_by_field(node, "name");
    if (type_of(node) != "function_declaration" || ts_node_is_null(name)) continue;
    counts[text_of(text, name)] = count_results(child_by_field(node, types.results));
  }
  return counts;
}

// The one expression of a list; nothing: it has another number.
std::optional<TSNode> only_expression(const TSNode& list) {
  if (ts_node_is_null(list) || ts_node_named_child_count(list) != 1) return std::nullopt;
  return ts_node_named_child(list, 0);
}

}  // namespace

std::vector<ResultMismatch> find_result_mismatches(const Grammar& grammar, std::string_view text,
                                                   const TSNode& root) {
  std::vector<ResultMismatch> found;
  const SignatureTypes* const types = grammar.signatures();
  if (types == nullptr || types->results.empty()) return found;
  const std::map<std::string_view, int> counts = counts_of(*types, text, root);
  TreeCursor cursor(root);
  for (bool more = true; more; more = cursor.to_next()) {
    if (!has_word(types->takers, type_of(cursor.node()))) continue;
    const TSNode left = child_by_field(cursor.node(), "left");
    const std::optional<TSNode> call = only_expression(child_by_field(cursor.node(), "right"));
    if (ts_node_is_null(left) || !call || type_of(*call) != "call_expression") continue;
    const TSNode function = child_by_field(*call, "function");
    if (ts_node_is_null(function) || type_of(function) != "identifier") continue;
    const auto declared = counts.find(text_of(text, function));
    const int n_taken = static_cast<int>(ts_node_named_child_count(left));
    if (declared == counts.end() || declared->second == n_taken) continue;
    // A variable may have the name of the function.
    const NameMeanings meanings = find_meanings(grammar, text, root, declared->first);
    const bool is_function = std::ranges::any_of(meanings.things, [&](const NamedThing& thing) {
      return thing.kind == NamedThing::Kind::kOfFile &&
             std::ranges::any_of(thing.uses, [&](const NameUse& use) {
               return use.range == range_of(function) && use.doubt.empty();
             });
    });
    if (is_function)
      found.push_back({range_of(function), range_of(*call), declared->second, n_taken});
  }
  return found;
}

}  // namespace redraft
