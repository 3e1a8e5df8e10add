#include "indexing/syntax/enclosing_types.h"

#include <algorithm>

namespace redraft {

std::string_view EnclosingTypes::text_of(const TSNode& node) const {
  const ByteRange range = range_of(node);
  return text_.substr(range.begin, range.size());
}

bool EnclosingTypes::is_function(const TSNode& node) const {
  return has_word(types_.functions, redraft::type_of(node));
}

bool EnclosingTypes::is_type(const TSNode& node) const {
  return has_word(types_.types, redraft::type_of(node));
}

std::string_view EnclosingTypes::bare_type(std::string_view type) {
  type = type.substr(0, type.find_first_of("<[("));
  const std::size_t last = type.find_last_of(":.*&] ");
  return last == type.npos ? type : type.substr(last + 1);
}

std::string_view EnclosingTypes::name_of(const NamePlace& place, std::size_t index) const {
  const TSNode& node = place.path[index];
  TSNode name = child_by_field(node, redraft::type_of(node) == "impl_item" ? "type" : "name");
  // The name of a class is beside its body.
  if (ts_node_is_null(name) && index > 0) name = child_by_field(place.path[index - 1], "name");
  // Zig: "const Name = struct {};".
  if (ts_node_is_null(name) && index > 0 &&
      redraft::type_of(place.path[index - 1]) == "variable_declaration")
    name = ts_node_named_child(place.path[index - 1], 0);
  return ts_node_is_null(name) ? std::string_view() : bare_type(text_of(name));
}

std::string_view EnclosingTypes::type_of_method(const TSNode& function) const {
  const TSNode receiver = child_by_field(function, "receiver");
  if (!ts_node_is_null(receiver)) {
    std::string_view list = text_of(receiver);
    list = list.substr(0, list.find_last_not_of(" )") + 1);
    list.remove_prefix(std::min(list.size(), list.find_first_not_of("( ")));
    return bare_type(list);
  }
  TSNode declarator = child_by_field(function, "declarator");
  while (!ts_node_is_null(declarator) && redraft::type_of(declarator) != "qualified_identifier") {
    declarator = redraft::type_of(declarator) == "reference_declarator"
                     ? ts_node_named_child(declarator, 0)
                     : child_by_field(declarator, "declarator");
  }
  std::string_view owner;
  while (!ts_node_is_null(declarator) && redraft::type_of(declarator) == "qualified_identifier") {
    const TSNode scope = child_by_field(declarator, "scope");
    if (!ts_node_is_null(scope)) owner = bare_type(text_of(scope));
    declarator = child_by_field(declarator, "name");
  }
  return owner;
}

std::string_view EnclosingTypes::type_of_function(const NamePlace& place, std::size_t index) const {
  const std::string_view owner = type_of_method(place.path[index]);
  if (!owner.empty()) return owner;
  for (std::size_t i = index; i-- > 0;) {
    if (is_type(place.path[i])) return name_of(place, i);
    if (is_function(place.path[i])) break;
  }
  return {};
}

std::string_view EnclosingTypes::type_of(const NamePlace& place) const {
  for (std::size_t i = place.path.size() - 1; i-- > 0;) {
    if (is_type(place.path[i])) return name_of(place, i);
    if (!is_function(place.path[i])) continue;
    const std::string_view owner = type_of_method(place.path[i]);
    if (!owner.empty()) return owner;
  }
  return {};
}

std::string_view EnclosingTypes::text_of_child(const TSNode& node, std::string_view types) const {
  const std::uint32_t count = ts_node_named_child_count(node);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_named_child(node, i);
    if (has_word(types, redraft::type_of(child))) return text_of(child);
  }
  return {};
}

std::string_view EnclosingTypes::bases_of(const NamePlace& place) const {
  for (std::size_t i = place.path.size() - 1; i-- > 0;) {
    if (!is_type(place.path[i])) continue;
    const bool is_body =
        has_word("class_body enum_body interface_body", redraft::type_of(place.path[i]));
    const TSNode& type = place.path[is_body && i > 0 ? i - 1 : i];
    if (!types_.bases.empty()) {
      const TSNode bases = child_by_field(type, types_.bases);
      return ts_node_is_null(bases) ? std::string_view() : text_of(bases);
    }
    const TSNode body = child_by_field(type, "body"), name = child_by_field(type, "name");
    const TSNode parameters = child_by_field(type, "parameters");
    const TSNode& before = !ts_node_is_null(parameters) ? parameters
                           : ts_node_is_null(name)      ? type
                                                        : name;
    if (ts_node_is_null(body)) return text_of_child(type, types_.base_nodes);
    const std::size_t begin = range_of(before).end;
    const std::size_t end = range_of(body).begin;
    return text_.substr(begin, std::max(begin, end) - begin);
  }
  return {};
}

bool EnclosingTypes::is_receiver(std::string_view name, const NamePlace& place) const {
  for (std::size_t i = place.path.size(); i-- > 0;) {
    if (redraft::type_of(place.path[i]) != "method_declaration") continue;
    const TSNode list = child_by_field(place.path[i], "receiver");
    if (ts_node_is_null(list)) continue;
    const std::string_view text = text_of(list);
    return text.size() > 1 && text.substr(1, text.find_first_of(" )") - 1) == name;
  }
  return false;
}

std::string_view EnclosingTypes::function_of(const NamePlace& parameter) const {
  const TSNode name = child_by_field(parameter.path[parameter.scope], "name");
  const std::string_view found = ts_node_is_null(name) ? std::string_view() : text_of(name);
  if (types_.constructor.empty() || found != types_.constructor) return found;
  for (std::size_t i = parameter.scope; i-- > 0;) {
    if (is_type(parameter.path[i])) return name_of(parameter, i);
  }
  return {};
}

TSNode EnclosingTypes::callee_of(const NamePlace& argument) const {
  for (std::size_t i = argument.path.size(); i-- > 1;) {
    const TSNode& call = argument.path[i];
    const std::string_view type = redraft::type_of(call);
    if (has_word(types_.constructions, type)) return ts_node_named_child(call, 0);
    if (type == "implicit_object_creation_expression" || type == "constructor_initializer")
      return call;  // the type is not named
    TSNode called = child_by_field(call, "function");
    if (ts_node_is_null(called) &&
        has_word("object_creation_expression primary_constructor_base_type", type))
      called = child_by_field(call, "type");
    if (!ts_node_is_null(called)) return called;
  }
  return TSNode{};
}

bool names_type(const TSNode& declaring) {
  constexpr std::string_view kWords[] = {"class", "struct", "enum",  "interface",
                                         "type",  "record", "union", "trait"};
  const std::string_view type = type_of(declaring);
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return type.find(word) != type.npos; });
}

}  // namespace redraft
