#include "indexing/syntax/undeclared_use.h"

#include "indexing/syntax/enclosing_types.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// Macros of Rust's standard library whose arguments are expressions.
constexpr std::string_view kPlainMacros =
    "assert assert_eq assert_ne dbg debug_assert debug_assert_eq debug_assert_ne eprint eprintln "
    "format format_args panic print println todo unimplemented unreachable vec write writeln";

std::string_view text_of(std::string_view text, const TSNode& node) {
  const ByteRange range = range_of(node);
  return text.substr(range.begin, range.size());
}

bool has_child_of(const TSNode& node, std::string_view types) {
  const std::uint32_t count = ts_node_child_count(node);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (has_word(types, type_of(ts_node_child(node, i)))) return true;
  }
  return false;
}

// Whether the tokens around the place, in a macro's brackets, are expressions that declare nothing.
bool is_in_plain_macro(std::string_view text, const NamePlace& place) {
  for (std::size_t i = 1; i < place.path.size(); ++i) {
    if (type_of(place.path[i]) != "macro_invocation") continue;
    const TSNode name = child_by_field(place.path[i], "macro");
    if (ts_node_is_null(name) || !has_word(kPlainMacros, text_of(text, name))) return false;
    const std::string_view all = text_of(text, place.path[i]);
    constexpr std::string_view kDeclaring[] = {"|", "=>", "let ", "#", "$"};
    for (const std::string_view mark : kDeclaring) {
      if (all.find(mark) != all.npos) return false;
    }
    const char before = place.range.begin > 0 ? text[place.range.begin - 1] : ' ';
    return before != '\'' && before != '"';
  }
  return false;
}

bool stands_before(std::string_view text, std::size_t end, std::string_view mark) {
  return text.substr(skip_space(text, end)).starts_with(mark);
}

}  // namespace

std::optional<UndeclaredUse> undeclared_use(const ScopeTypes& types, std::string_view text,
                                            const NamePlace& place) {
  const std::size_t last = place.path.size() - 1;
  if (place.role != NameRole::kReference || last == 0) return std::nullopt;
  if (is_in_any(types.foreign, place) || is_at(types.foreign, place, last)) return std::nullopt;
  if (is_in_any("token_tree", place) && !is_in_plain_macro(text, place)) return std::nullopt;
  UndeclaredUse use{.range = place.range, .is_type = place.is_type};
  const std::size_t end = place.range.end;
  const bool is_range = stands_before(text, end, "..");
  use.is_qualifier = stands_before(text, end, "::") || stands_before(text, end, "?.") ||
                     (stands_before(text, end, ".") && !is_range);
  const bool is_whole_callee = place.fields[last - 1] == "function" && !use.is_qualifier &&
                               range_of(place.path[last - 1]).begin == place.range.begin;
  use.is_called = place.is_callable || stands_before(text, end, "(") ||
                  place.fields[last] == "constructor" || is_whole_callee;
  for (std::size_t i = 0; i < last; ++i) {
    const TSNode& node = place.path[i];
    if (has_word(types.functions, type_of(node))) {
      use.in_function = true;
      const EnclosingTypes around(types, text);
      if (types.bare_members && !around.type_of_method(node).empty()) use.may_be_inherited = true;
    }
    if (!types.bare_members || !has_word(types.types, type_of(node))) continue;
    const bool is_body = type_of(node).ends_with("_body");  // its head is the node around it
    const TSNode& head = is_body && i > 0 ? place.path[i - 1] : node;
    const bool has_bases = type_of(head).find("creation") != std::string_view::npos ||
                           has_child_of(head, types.base_nodes) ||
                           (use.is_called && has_child_of(head, types.interface_nodes));
    use.may_be_inherited = use.may_be_inherited || has_bases;
  }
  return use;
}

}  // namespace redraft
