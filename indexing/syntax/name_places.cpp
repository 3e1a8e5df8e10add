#include "indexing/syntax/name_places.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "indexing/syntax/text_places.h"
#include "text/strings/names.h"

namespace redraft {
namespace {

// Whether it has a child in that field or of that type.
bool has_child(const TSNode& node, std::string_view name) {
  if (!ts_node_is_null(child_by_field(node, name))) return true;
  const std::uint32_t count = std::min(ts_node_child_count(node), std::uint32_t{8});
  for (std::uint32_t i = 0; i < count; ++i) {
    if (type_of(ts_node_child(node, i)) == name) return true;
  }
  return false;
}

bool is_first_named(const TSNode& parent, const TSNode& child) {
  const TSNode first = ts_node_named_child(parent, 0);
  return !ts_node_is_null(first) && ts_node_eq(first, child);
}

// Whether path[index] is at the place that one word of ScopeTypes names.
bool is_at_one(std::string_view word, const NamePlace& place, std::size_t index) {
  const TSNode& parent = place.path[index - 1];
  const std::size_t question = word.find('?');
  const std::string_view condition =
      question == word.npos ? std::string_view() : word.substr(question + 1);
  word = word.substr(0, question);
  if (const std::size_t outer = word.find('>'); outer != word.npos) {
    if (index < 2 || type_of(place.path[index - 2]) != word.substr(0, outer)) return false;
    word.remove_prefix(outer + 1);
  }
  const std::string_view type = type_of(parent);
  if (!word.starts_with(type)) return false;
  const std::string_view rest = word.substr(type.size());
  const std::string_view field = place.fields[index];
  bool is_place = rest.empty() && field.empty();
  if (rest.starts_with('.')) is_place = rest.substr(1) == field;
  if (rest == "+") is_place = !is_first_named(parent, place.path[index]);
  if (rest == "-") is_place = field.empty() && is_first_named(parent, place.path[index]);
  if (!is_place || condition.empty()) return is_place;
  const bool is_not = condition.starts_with('!');
  return has_child(parent, condition.substr(is_not ? 1 : 0)) != is_not;
}

bool is_within_error(const NamePlace& place) {
  return std::ranges::any_of(place.path, [](const TSNode& node) { return ts_node_is_error(node); });
}

class PlaceReader {
 public:
  PlaceReader(const Grammar& grammar, std::string_view text, std::string_view name)
      : grammar_(grammar), types_(*grammar.scopes()), text_(text), name_(name) {}

  void read(NamePlace& place) const {
    const TSNode& node = place.path.back();
    if (!grammar_.role(node).identifier || range_of(node) != place.range) return read_token(place);
    place.role = role_of(place);
  }

 private:
  void read_token(NamePlace& place) const {
    place.role = NameRole::kRaw;
    for (std::size_t i = 1; i < place.path.size(); ++i) {
      const std::string_view type = type_of(place.path[i]);
      if (type.find("comment") != type.npos) {
        place.role = NameRole::kComment;
        return;
      }
      if (type.find("string") != type.npos) return read_text_place(types_, text_, name_, i, place);
    }
  }

  std::string_view text_of(const TSNode& node) const {
    const ByteRange range = range_of(node);
    return text_.substr(range.begin, range.size());
  }

  NameRole role_of(NamePlace& place) const {
    const std::size_t last = place.path.size() - 1;
    const std::string_view type = type_of(place.path[last]);
    place.is_shorthand = has_word(types_.shorthand, type) || is_at(types_.shorthand, place, last);
    place.is_export = is_at(types_.exports, place, last);
    place.is_callable = is_at(types_.callables, place, last);
    place.is_type = (types_.separate_types && type == "type_identifier") ||
                    is_at(types_.type_places, place, last);
    if (is_within_error(place) || is_in_any(types_.unsure, place) ||
        is_at(types_.unsure_places, place, last))
      return NameRole::kUnsure;
    if (is_in_any("token_tree", place)) return role_in_macro(place);
    if (is_in_any(types_.free, place)) return NameRole::kFree;
    if (is_at(types_.member_declarations, place, last)) return member_declaration(place, last);
    if (is_at(types_.members, place, last)) {
      const bool is_pointer = place.range.begin > 0 && text_[place.range.begin - 1] == '*';
      return is_pointer ? NameRole::kReference : NameRole::kMember;  // C++: "object.*member"
    }
    if (is_in_import_path(place)) return NameRole::kUnsure;
    if (declares(place)) return NameRole::kDeclaration;
    const bool is_apart = is_in_any(types_.apart, place);
    if (is_apart && role_in_import(place) == NameRole::kOther) return NameRole::kOther;
    if (is_qualified(place, last)) return NameRole::kQualified;
    if (is_at(types_.arguments, place, last)) return NameRole::kArgument;
    if (is_at(types_.fields, place, last) && !is_of_tag(place))
      return is_entry(place) ? NameRole::kReference : NameRole::kField;
    std::size_t outer = last;  // `a` of "import a as b" stands in a node of its own
    while (outer > 1 && is_at(types_.patterns, place, outer)) --outer;
    const bool is_key = has_word(types_.keys, type) || is_at(types_.keys, place, outer);
    if (is_key || is_tag(place)) return NameRole::kOther;
    return is_apart ? role_in_import(place) : NameRole::kReference;
  }

  // Python's "import a.b" makes `a` known, and can give it no other name.
  bool is_in_import_path(const NamePlace& place) const {
    const std::size_t last = place.path.size() - 1;
    const TSNode& parent = place.path[last - 1];
    return last > 1 && type_of(parent) == "dotted_name" && ts_node_named_child_count(parent) > 1 &&
           is_first_named(parent, place.path[last]) && is_at(types_.imports, place, last - 1);
  }

  // Rust's "use super::name" names what this file has, other imports what others have.
  NameRole role_in_import(const NamePlace& place) const {
    std::size_t at = 0;
    while (at < place.path.size() && type_of(place.path[at]) != "use_declaration") ++at;
    if (at == place.path.size()) return NameRole::kOther;
    const TSNode argument = child_by_field(place.path[at], "argument");
    if (ts_node_is_null(argument)) return NameRole::kOther;
    const std::string_view path = text_of(argument);
    const std::string_view first = path.substr(0, path.find(':'));
    if (first != "super" || path.starts_with("super::super")) {
      const bool is_type =
          !first.empty() && std::isupper(static_cast<unsigned char>(first[0])) != 0;
      return is_type || has_word("self crate super Self", first) ? NameRole::kUnsure
                                                                 : NameRole::kOther;
    }
    const std::string_view before =
        text_.substr(range_of(argument).begin, place.range.begin - range_of(argument).begin);
    return before.find("::", 7) == before.npos ? NameRole::kReference : NameRole::kUnsure;
  }

  // "b" and "c" of "a::b::c", which is "a" and, within, "b::c".
  bool is_qualified(const NamePlace& place, std::size_t last) const {
    const bool begins = range_of(place.path[last - 1]).begin == place.range.begin;
    return begins ? last > 1 && is_at(types_.qualified, place, last - 1)
                  : is_at(types_.qualified, place, last);
  }

  // Between a macro's brackets there are only tokens.
  NameRole role_in_macro(const NamePlace& place) const {
    const std::string_view before = text_.substr(0, place.range.begin);
    const std::string_view after = text_.substr(place.range.end);
    if (before.ends_with('.') && !before.ends_with("..")) return NameRole::kMember;
    if (before.ends_with("::")) return NameRole::kQualified;
    const bool is_key = after.starts_with(':') && !after.starts_with("::");
    return is_key || after.starts_with('!') ? NameRole::kUnsure : NameRole::kReference;
  }

  // JSX: "<div>" is no function.
  bool is_tag(const NamePlace& place) const {
    const std::string_view parent = type_of(place.path[place.path.size() - 2]);
    return parent.starts_with("jsx_") && parent.ends_with("_element") &&
           std::islower(static_cast<unsigned char>(name_.front())) != 0;
  }

  // Go: "T{name: 1}" names a field, unless T is a map or a list; "T{name}" does not. Of
  // "[]T{{name: 1}}" it is one of T.
  bool is_entry(const NamePlace& place) const {
    const std::size_t last = place.path.size() - 1;
    if (type_of(place.path[last - 1]) != "literal_element") return false;
    if (place.fields[last - 1] != "key") return true;
    int n_values = 0;
    for (std::size_t i = last; i-- > 1;) {
      if (type_of(place.path[i]) == "literal_value" && ++n_values > 1) return false;
      if (type_of(place.path[i]) != "composite_literal") continue;
      const TSNode type = child_by_field(place.path[i], "type");
      if (ts_node_is_null(type)) return false;
      return has_word("map_type slice_type array_type implicit_length_array_type", type_of(type));
    }
    return false;
  }

  // JSX: "title" of "<div title=…>" is no member of a component's properties.
  bool is_of_tag(const NamePlace& place) const {
    if (place.path.size() < 3 || type_of(place.path[place.path.size() - 2]) != "jsx_attribute")
      return false;
    const TSNode tag = child_by_field(place.path[place.path.size() - 3], "name");
    return ts_node_is_null(tag) ||
           std::islower(static_cast<unsigned char>(text_[range_of(tag).begin])) != 0;
  }

  bool is_scope(const TSNode& node) const {
    const std::string_view type = type_of(node);
    return has_word(types_.functions, type) || has_word(types_.blocks, type) ||
           has_word(types_.types, type);
  }

  // The innermost of path[0..index] that is a scope, by `is`.
  template <typename Is>
  std::size_t scope_from(const NamePlace& place, std::size_t index, const Is& is) const {
    while (index > 0 && !is(place.path[index])) --index;
    return index;
  }

  NameRole member_declaration(NamePlace& place, std::size_t index) const {
    std::size_t at = index - 1;
    for (; at > 0 && !has_word(types_.types, type_of(place.path[at])); --at) {
      const std::string_view type = type_of(place.path[at]);
      const bool is_end = at + 1 < index && has_word(types_.functions, type);
      if (is_end || type == "object" || type == "object_type") return NameRole::kOther;
    }
    place.scope = at;
    place.declaring = index - 1;
    return NameRole::kMemberDeclaration;
  }

  bool declares(NamePlace& place) const {
    std::size_t index = place.path.size() - 1;
    while (index > 1 && is_at(types_.patterns, place, index)) --index;
    if (is_at(types_.member_declarations, place, index))
      return member_declaration(place, index) == NameRole::kMemberDeclaration;
    const auto any = [&](const TSNode& node) { return is_scope(node); };
    const auto function = [&](const TSNode& node) {
      return has_word(types_.functions, type_of(node)) || has_word(types_.types, type_of(node));
    };
    place.declaring = index - 1;
    if (is_at(types_.parameters, place, index)) {
      place.is_parameter = true;
      place.is_member_parameter = is_at(types_.member_parameters, place, place.path.size() - 1);
      place.scope = scope_of_parameter(place, index);
      return true;
    }
    if (is_at(types_.imports, place, index)) {
      const TSNode& parent = place.path[place.path.size() - 2];
      if (type_of(parent) == "dotted_name" && ts_node_named_child_count(parent) > 1) return false;
      place.is_import = true;
      place.scope = scope_from(place, index - 1, function);
      return true;
    }
    if (is_at(types_.around, place, index)) {
      place.scope = index < 2 ? 0 : scope_from(place, index - 2, any);
      return true;
    }
    if (is_at(types_.in_function, place, index)) {
      place.scope = scope_from(place, index - 1, function);
      return true;
    }
    const bool is_constant = std::isupper(static_cast<unsigned char>(name_.front())) != 0;
    const bool is_matched = !is_constant && is_at(types_.matched, place, index);
    if (!is_matched && !is_at(types_.here, place, index)) return false;
    const bool is_hoisted = index > 1 && has_word(types_.hoisting, type_of(place.path[index - 2]));
    place.scope =
        is_hoisted ? scope_from(place, index - 1, function) : scope_from(place, index - 1, any);
    return true;
  }

  // The function whose parameter it is; of a declaration without a body the outermost of the nodes
  // that parameters stand in.
  std::size_t scope_of_parameter(const NamePlace& place, std::size_t index) const {
    std::size_t at = index - 1;
    while (at > 0 && has_word(types_.parameter_lists, type_of(place.path[at]))) --at;
    return is_scope(place.path[at]) ? at : std::min(at + 1, index - 1);
  }

  const Grammar& grammar_;
  const ScopeTypes& types_;
  std::string_view text_;
  std::string_view name_;
};

// Deeper places are between brackets that nobody reads.
constexpr std::size_t kMaxDepth = 1000;
// Of all paths together: who asks waits for it.
constexpr std::size_t kMaxNodes = 100000;

// find_name() for a language, by ScopeTypes::has_dollar_marks.
std::size_t find_place(const ScopeTypes& types, std::string_view text, std::string_view name,
                       std::size_t from) {
  if (!types.has_dollar_marks) return find_name(text, name, from);
  const auto is_part = [&](std::size_t at) { return is_name_byte(text[at]) && text[at] != '$'; };
  for (std::size_t at = text.find(name, from); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(at - 1)) && (end == text.size() || !is_part(end))) return at;
  }
  return text.npos;
}

// Goes from place to place, all of which takes no longer than to go over the tree once.
class PathWalk {
 public:
  explicit PathWalk(const TSNode& root) : cursor_(root), fields_{""} {}

  // The path to the innermost node at `offset`, which is behind all offsets before. False: it is
  // too deep.
  bool to(std::size_t offset, NamePlace* place) {
    while (cursor_.path().size() > 1 && range_of(cursor_.node()).end <= offset) {
      if (!to_sibling_at(offset)) to_parent();
    }
    while (range_of(cursor_.node()).contains(offset) && cursor_.to_first_child()) {
      if (cursor_.path().size() > kMaxDepth) return false;
      fields_.push_back(cursor_.field());
      if (range_of(cursor_.node()).end <= offset && !to_sibling_at(offset)) {
        to_parent();
        break;
      }
    }
    place->path = cursor_.path();
    place->fields = fields_;
    if (range_of(cursor_.node()).begin > offset && place->path.size() > 1) {
      place->path.pop_back();
      place->fields.pop_back();
    }
    return true;
  }

 private:
  // To the next sibling that ends behind `offset`.
  bool to_sibling_at(std::size_t offset) {
    do {
      if (!cursor_.to_next_sibling()) return false;
    } while (range_of(cursor_.node()).end <= offset);
    fields_.back() = cursor_.field();
    return true;
  }

  void to_parent() {
    cursor_.to_parent();
    fields_.pop_back();
  }

  TreeCursor cursor_;
  std::vector<std::string_view> fields_;
};

// The end of the value that a condition gives the name: of `x` in Swift's "if let x = value".
std::size_t end_of_value(const NamePlace& place) {
  const TSNode mark = ts_node_next_sibling(place.path[place.declaring + 1]);
  if (ts_node_is_null(mark) || type_of(mark) != "=") return place.range.end;
  const TSNode value = ts_node_next_sibling(mark);
  return ts_node_is_null(value) ? place.range.end : range_of(value).end;
}

// The innermost of `types` between the scope and the place.
TSNode statement_around(std::string_view types, const NamePlace& place) {
  for (std::size_t i = place.declaring; i > place.scope; --i) {
    if (has_word(types, type_of(place.path[i]))) return place.path[i];
  }
  return TSNode{};
}

// The beginning of where the name is known.
std::size_t known_from(const ScopeTypes& types, const NamePlace& place) {
  const TSNode& scope = place.path[place.scope];
  const TSNode& declaring = place.path[place.declaring];
  const std::size_t begin = range_of(scope).begin;
  // A loop's name is not known where the loop says what it goes over.
  if (has_word("enumerator", type_of(declaring))) return range_of(declaring).end;
  if (has_word(types.loops, type_of(declaring)))
    return range_of(child_by_field(declaring, "body")).begin;
  const bool is_everywhere = types.known_from == KnownFrom::kScope || place.is_parameter ||
                             place.scope == 0 || has_word(types.types, type_of(scope)) ||
                             type_of(declaring).ends_with("_item");
  if (is_everywhere || has_word(types.functions, type_of(declaring))) return begin;
  if (type_of(declaring) == "lambda_capture_initializer") return range_of(declaring).end;
  if (has_word(types.conditions, type_of(declaring))) return end_of_value(place);
  const TSNode statement = statement_around(types.statements, place);
  if (!ts_node_is_null(statement)) return range_of(statement).end;
  if (types.known_from == KnownFrom::kName || type_of(declaring) == "type_switch_statement")
    return place.range.begin;
  if (type_of(declaring) == "match_pattern") return range_of(declaring).begin;
  const TSNode body = child_by_field(declaring, "body");
  return ts_node_is_null(body) ? range_of(declaring).end : range_of(body).begin;
}

// Its end. Rust's and Swift's "if let" do not declare the name for their "else".
std::size_t known_to(const ScopeTypes& types, const TSNode& scope) {
  const bool is_condition = has_word(types.conditions, type_of(scope));
  const std::uint32_t count = is_condition ? ts_node_child_count(scope) : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_child(scope, i);
    if (type_of(child) == "else") return range_of(child).begin;
  }
  const TSNode alternative = child_by_field(scope, "alternative");
  const bool is_let = type_of(scope) == "if_expression" && !ts_node_is_null(alternative);
  return is_let ? range_of(alternative).begin : range_of(scope).end;
}

}  // namespace

bool is_at(std::string_view places, const NamePlace& place, std::size_t index) {
  while (!places.empty()) {
    const std::size_t end = std::min(places.find(' '), places.size());
    if (is_at_one(places.substr(0, end), place, index)) return true;
    places.remove_prefix(std::min(end + 1, places.size()));
  }
  return false;
}

bool is_in_any(std::string_view types, const NamePlace& place) {
  return std::ranges::any_of(place.path,
                             [&](const TSNode& node) { return has_word(types, type_of(node)); });
}

bool is_first_outside(const ScopeTypes& types, const NamePlace& place, std::size_t index) {
  if (!is_at(types.first_outside, place, index)) return false;
  const TSNode& part = place.path[index - 1];
  const TSNode& block = place.path[index - 2];
  const std::uint32_t count = ts_node_named_child_count(block);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_named_child(block, i);
    if (type_of(child) == type_of(part)) return ts_node_eq(child, part);
  }
  return false;
}

bool is_shared_block(const ScopeTypes& types, const NamePlace& place, std::size_t index) {
  return index > 0 && has_word(types.blocks, type_of(place.path[index])) &&
         is_at(types.shared_blocks, place, index);
}

TSNode argument_name(std::string_view places, const TSNode& argument) {
  for (std::string_view place : split_words(places)) {
    place.remove_prefix(place.find('>') + 1);  // of npos, too
    const std::size_t dot = place.find('.');
    if (dot != place.npos && place.substr(0, dot) == type_of(argument))
      return child_by_field(argument, place.substr(dot + 1));
    const std::size_t first = place.find("-?");
    if (first != place.npos && place.substr(0, first) == type_of(argument) &&
        has_child(argument, place.substr(first + 2)))
      return ts_node_named_child(argument, 0);
    const TSNode name = child_by_field(argument, "name");
    if (!ts_node_is_null(name) && type_of(name) == place) return name;
  }
  return TSNode{};
}

std::vector<NamePlace> find_places(const Grammar& grammar, std::string_view text,
                                   const TSNode& root, std::string_view name,
                                   std::size_t max_places) {
  std::vector<NamePlace> places;
  const PlaceReader reader(grammar, text, name);
  PathWalk walk(root);
  std::size_t n_nodes = 0;
  if (name.empty()) return places;
  const ScopeTypes& types = *grammar.scopes();
  for (std::size_t at = find_place(types, text, name, 0); at != text.npos;
       at = find_place(types, text, name, at + 1)) {
    NamePlace place{.range = {at, at + name.size()}, .path = {}, .fields = {}};
    if (places.size() == max_places || !walk.to(at, &place)) return {};
    n_nodes += place.path.size();
    if (n_nodes > kMaxNodes) return {};
    reader.read(place);
    places.push_back(std::move(place));
  }
  return places;
}

ByteRange known_range(const ScopeTypes& types, std::string_view text, const NamePlace& place) {
  const TSNode& scope = place.path[place.scope];
  if (type_of(scope) == "namespace_definition" || is_shared_block(types, place, place.scope))
    return {0, text.size()};
  return {known_from(types, place), known_to(types, scope)};
}

std::string_view receiver_of(std::string_view text, const NamePlace& place) {
  constexpr std::string_view kBetween = " \t\r\n.?!:";
  if (place.path.size() < 2) return {};
  std::size_t begin = range_of(place.path[place.path.size() - 2]).begin;
  const bool is_suffix = type_of(place.path[place.path.size() - 2]) == "navigation_suffix";
  const bool is_below = begin == place.range.begin && place.role == NameRole::kQualified;
  if ((is_suffix || is_below) && place.path.size() > 2)
    begin = range_of(place.path[place.path.size() - 3]).begin;
  if (type_of(place.path[place.path.size() - 2]) == "token_tree") {
    begin = place.range.begin;
    while (begin > 0 && (is_name_byte(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  }
  std::string_view before = text.substr(begin, place.range.begin - begin);
  if (before.ends_with("->")) before.remove_suffix(2);
  const std::size_t last = before.find_last_not_of(kBetween);
  return last == before.npos ? std::string_view() : before.substr(0, last + 1);
}

}  // namespace redraft
