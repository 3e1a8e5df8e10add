#include "indexing/syntax/receiver_types.h"

#include <algorithm>
#include <cctype>

#include "text/strings/names.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxNames = 64;  // whose declarations are looked for
constexpr int kMaxDepth = 4;           // of expressions and declarations that lead to others

// Nodes around an expression that have its type.
constexpr std::string_view kSameType =
    "parenthesized_expression reference_expression pointer_expression non_null_expression "
    "expression_list literal_element";
// Nodes that construct, and the fields that hold what.
constexpr std::string_view kConstructing =
    "object_creation_expression new_expression composite_literal struct_expression "
    "compound_literal_expression instance_expression cast_expression";
constexpr std::string_view kWithValue =
    "assignment variable_declarator init_declarator short_var_declaration var_spec let_declaration "
    "val_definition var_definition named_expression";

TSNode first_field(const TSNode& node, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    const TSNode child = child_by_field(node, field);
    if (!ts_node_is_null(child)) return child;
  }
  return TSNode{};
}

}  // namespace

TSNode ReceiverTypes::receiver(const NamePlace& member) {
  if (member.path.size() < 2) return TSNode{};
  const TSNode& parent = member.path[member.path.size() - 2];
  const TSNode first = ts_node_named_child(parent, 0);
  return ts_node_is_null(first) || range_of(first).end > member.range.begin ? TSNode{} : first;
}

std::string_view ReceiverTypes::of_pattern(const NamePlace& place) {
  std::size_t at = place.path.size() - 1;
  while (at > 0 && !has_word("object_pattern object", type_of(place.path[at]))) --at;
  if (at == 0) return {};
  const TSNode& around = place.path[at - 1];
  if (has_word("required_parameter optional_parameter", type_of(around)))
    return named_by(child_by_field(around, "type"));
  if (type_of(around) != "variable_declarator") return {};
  const TSNode type = child_by_field(around, "type"), value = child_by_field(around, "value");
  if (!ts_node_is_null(type)) return named_by(type);
  const bool is_literal = type_of(place.path[at]) == "object";
  if (is_literal || ts_node_is_null(value)) return {};
  return has_word(types_.own, text_of(value)) ? around_.type_of(place) : of_expression(value);
}

// "Box" of "Box", ": Box | null", "&mut Box", "n.Box", "Box<int>" and "'Box'"; nothing of lists.
std::string_view ReceiverTypes::named_by(const TSNode& node) const {
  if (ts_node_is_null(node)) return {};
  std::string_view type = text_of(node);
  constexpr std::string_view kAround = " \t\r\n:&*?!'\"";
  const auto trim = [&] {
    while (!type.empty() && kAround.find(type.front()) != kAround.npos) type.remove_prefix(1);
    while (!type.empty() && kAround.find(type.back()) != kAround.npos) type.remove_suffix(1);
  };
  trim();
  for (const std::string_view other : {"| null", "| undefined", "| None"}) {
    if (type.ends_with(other)) type.remove_suffix(other.size());
    trim();
  }
  for (const std::string_view word : {"mut ", "const ", "readonly "}) {
    if (type.starts_with(word)) type.remove_prefix(word.size());
    trim();
  }
  if (type.find('[') != type.npos || type.find('|') != type.npos) return {};
  type = type.substr(0, type.find('<'));
  type = type.substr(type.find_last_of(".:") + 1);  // of npos, too
  return std::ranges::all_of(type, is_name_byte) ? type : std::string_view();
}

std::string_view ReceiverTypes::of_expression(TSNode node, int depth) {
  while (!ts_node_is_null(node) &&
         (has_word(kSameType, type_of(node)) ||
          (type_of(node) == "unary_expression" && text_of(node).starts_with('&')))) {
    if (ts_node_named_child_count(node) != 1) return {};
    node = ts_node_named_child(node, 0);
  }
  if (ts_node_is_null(node) || depth > kMaxDepth) return {};
  const std::string_view type = type_of(node);
  if (type == "identifier") return of_name(node, depth);
  if (has_word(kConstructing, type)) {
    const TSNode named = first_field(node, {"type", "constructor", "name"});
    return named_by(ts_node_is_null(named) ? ts_node_named_child(node, 0) : named);
  }
  if (type == "as_expression") return named_by(ts_node_named_child(node, 1));
  if (type != "call" && type != "call_expression") return {};
  // A call of a type constructs it.
  const TSNode called = child_by_field(node, "function");
  const std::string_view name = ts_node_is_null(called) ? "" : named_by(called);
  const bool is_type = !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0;
  const bool is_path =
      !ts_node_is_null(called) && type_of(called).find("scoped") != std::string::npos;
  return is_type && !is_path ? name : std::string_view();
}

std::string_view ReceiverTypes::of_name(const TSNode& identifier, int depth) {
  const std::string name(text_of(identifier));
  auto found = names_.find(name);
  if (found == names_.end()) {
    if (names_.size() == kMaxNames) return {};
    found =
        names_.emplace(name, std::make_unique<DeclaredNames>(grammar_, text_, root_, name)).first;
  }
  DeclaredNames& names = *found->second;
  const std::vector<NamePlace>& places = names.places();
  const ByteRange range = range_of(identifier);
  const auto place = std::ranges::lower_bound(
      places, range.begin, {}, [](const NamePlace& each) { return each.range.begin; });
  if (place == places.end() || place->range != range) return {};
  const std::optional<std::size_t> thing = names.resolve(*place).thing;
  if (!thing) return {};
  std::string_view type;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (names.declared_by(i) != thing) continue;
    const std::string_view one = of_declaration(places[i], depth + 1);
    if (one.empty() || (!type.empty() && type != one)) return {};
    type = one;
  }
  return type;
}

std::string_view ReceiverTypes::of_declaration(const NamePlace& place, int depth) {
  TSNode node = place.path[place.declaring];
  const std::string_view kind = type_of(node);
  if (has_word(types_.functions, kind) || has_word(types_.types, kind) ||
      has_word("function_declarator array_declarator", type_of(place.path[place.path.size() - 2])))
    return {};
  if (has_word(types_.parameter_lists, kind) || place.is_parameter) {
    for (std::size_t i = place.path.size() - 1; i-- > place.scope;) {
      const TSNode type = child_by_field(place.path[i], "type");
      if (!ts_node_is_null(type)) return named_by(type);
      if (!has_word(types_.parameter_lists, type_of(place.path[i])) &&
          !has_word("typed_parameter typed_default_parameter required_parameter optional_parameter "
                    "reference_declarator pointer_declarator",
                    type_of(place.path[i])))
        break;
    }
    return {};
  }
  TSNode type = child_by_field(node, "type");
  if (ts_node_is_null(type) && place.declaring > 0 &&
      has_word("local_variable_declaration field_declaration variable_declaration declaration",
               type_of(place.path[place.declaring - 1])))
    type = child_by_field(place.path[place.declaring - 1], "type");
  const bool is_said = !ts_node_is_null(type) && !has_word("var auto", text_of(type)) &&
                       type_of(type) != "placeholder_type_specifier";
  if (is_said) return named_by(type);
  if (type_of(node) == "declaration") node = child_by_field(node, "declarator");
  if (ts_node_is_null(node) || !has_word(kWithValue, type_of(node))) return {};
  const TSNode left = first_field(node, {"left", "name", "pattern", "declarator"});
  if (ts_node_is_null(left) || range_of(left) != place.range) return {};  // a part of the value
  TSNode value = first_field(node, {"right", "value"});
  if (ts_node_is_null(value) && type_of(node) == "variable_declarator")
    value = ts_node_named_child(node, 1);  // C#
  return of_expression(value, depth);
}

}  // namespace redraft
