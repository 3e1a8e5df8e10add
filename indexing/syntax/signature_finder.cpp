#include "indexing/syntax/signature_finder.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "indexing/syntax/definition_finder.h"
#include "indexing/syntax/enclosing_types.h"
#include "indexing/syntax/name_places.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// More parameters or arguments are data rather than code.
constexpr std::uint32_t kMaxParts = 256;
// A name that stands in more places is none whose calls a person changes.
constexpr std::size_t kMaxPlaces = 5000;
// A definition that is deeper within others was not written by a person.
constexpr std::size_t kMaxNested = 64;
// Python: after these decorators a function still takes what its parameters say.
constexpr std::string_view kKeepParameters =
    "staticmethod classmethod abstractmethod override final cache lru_cache wraps typing functools "
    "abc";

bool is_comment(std::string_view type) { return type.ends_with("comment"); }

std::string without_blanks(std::string_view text) {
  std::string squeezed;
  std::ranges::copy_if(text, std::back_inserter(squeezed), [](char c) { return !is_space(c); });
  return squeezed;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_byte);
}

TSNode last_named_child(const TSNode& node) {
  return ts_node_named_child(node, ts_node_named_child_count(node) - 1);
}

// One step towards the name of a parameter; null: that is it.
TSNode inside_parameter(const TSNode& node) {
  for (const std::string_view field : {"name", "pattern", "declarator", "left"}) {
    const TSNode child = child_by_field(node, field);
    if (!ts_node_is_null(child)) return child;
  }
  const std::string_view type = type_of(node);
  if (type == "typed_parameter") return ts_node_named_child(node, 0);
  constexpr std::string_view kAround =
      "list_splat_pattern dictionary_splat_pattern rest_pattern reference_declarator "
      "variadic_declarator parenthesized_declarator spread_parameter";
  return has_word(kAround, type) && ts_node_named_child_count(node) > 0 ? last_named_child(node)
                                                                        : TSNode{};
}

class ParameterReader {
 public:
  ParameterReader(const SignatureTypes& types, std::string_view text)
      : types_(types), text_(text) {}

  // Of the list, or the one parameter that has no list. False: they make no sense.
  bool read(const TSNode& list, bool is_list, Signature* signature) {
    signature_ = signature;
    if (ts_node_has_error(list) || ts_node_child_count(list) > kMaxParts) return false;
    if (!is_list) {
      add(list);
      return true;
    }
    TreeCursor cursor(list);
    for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling())
      read_part(cursor.node(), cursor.field());
    return true;
  }

 private:
  std::string_view text_of(const TSNode& node) const {
    const ByteRange range = range_of(node);
    return text_.substr(range.begin, range.size());
  }

  void read_part(const TSNode& node, std::string_view field) {
    const std::string_view type = type_of(node);
    if (!ts_node_is_named(node) && !has_word(types_.rest, type)) return;
    if (is_comment(type) || has_word(types_.attributes, type)) return;
    if (has_word(types_.by_place_before, type)) {
      for (Parameter& parameter : signature_->all) parameter.kind = Parameter::Kind::kByPlace;
    } else if (field == "name") {  // C#'s "params" stands in the list itself
      add(Parameter::Kind::kRest, text_of(node), false);
    } else if (field != "type" &&
               (has_word(types_.rest, type) || !has_word(types_.by_name_behind, type))) {
      add(node);
    }
    is_by_name_ = is_by_name_ || is_or_has(node, types_.by_name_behind);
  }

  // Whether the node, or one that its name is in, is of these types.
  static bool is_or_has(TSNode node, std::string_view types) {
    for (; !ts_node_is_null(node); node = inside_parameter(node)) {
      if (has_word(types, type_of(node))) return true;
    }
    return false;
  }

  void add(const TSNode& node) {
    const std::string_view type = type_of(node);
    const bool is_own = ts_node_child_count(node) > 0 && text_of(ts_node_child(node, 0)) == "this";
    if (has_word(types_.receivers, type) || is_own) {
      signature_->receiver = Signature::Receiver::kObject;
      return;
    }
    if (has_word(types_.several, type) && add_several(node)) return;
    const bool is_default = has_word(types_.optional, type) || has_sign(node);
    if (is_or_has(node, types_.named_rest))
      return add(Parameter::Kind::kNamedRest, name_of(node), false);
    const TSNode type_node = child_by_field(node, "type");
    const bool is_rest = is_or_has(node, types_.rest) || is_or_has(type_node, types_.rest);
    if (is_rest) return add(Parameter::Kind::kRest, name_of(node), false);
    const std::string name = name_of(node);
    if (name.empty() && text_of(node) == "void") return;  // C: "f(void)"
    add(is_by_name_ ? Parameter::Kind::kByName : Parameter::Kind::kPlain, name, is_default);
    signature_->all.back().type = type_written_in(node);
  }

  void add(Parameter::Kind kind, std::string_view name, bool is_optional) {
    signature_->all.push_back({kind, std::string(name), is_optional});
  }

  std::string type_written_in(const TSNode& node) const {
    const TSNode type = child_by_field(node, "type");
    return ts_node_is_null(type) ? std::string() : without_blanks(text_of(type));
  }

  // Go: "a, b int".
  bool add_several(const TSNode& node) {
    bool is_any = false;
    TreeCursor cursor(node);
    for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
      if (cursor.field() != "name" || !ts_node_is_named(cursor.node())) continue;
      add(Parameter::Kind::kPlain, text_of(cursor.node()), false);
      signature_->all.back().type = type_written_in(node);
      is_any = true;
    }
    return is_any;
  }

  static bool has_sign(const TSNode& node) {
    const std::uint32_t count = ts_node_child_count(node);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (type_of(ts_node_child(node, i)) == "=") return true;
    }
    return false;
  }

  std::string name_of(TSNode node) const {
    for (TSNode inner = inside_parameter(node); !ts_node_is_null(inner);
         inner = inside_parameter(node))
      node = inner;
    const bool is_name = type_of(node) == "identifier" || type_of(node).ends_with("_pattern");
    return is_name ? without_blanks(text_of(node)) : std::string();
  }

  const SignatureTypes& types_;
  std::string_view text_;
  Signature* signature_ = nullptr;
  bool is_by_name_ = false;
};

// A definition that the walk is in.
struct Open {
  std::size_t depth;  // of its node in the path
  DefinitionKind kind;
  std::string path, name;
  ByteRange declared;
};

class SignatureFinder {
 public:
  SignatureFinder(const Grammar& grammar, std::string_view text, const TSNode& root)
      : grammar_(grammar),
        types_(*grammar.signatures()),
        text_(text),
        around_(*grammar.scopes(), text),
        definitions_(grammar, text, root),
        cursor_(root) {}

  std::vector<Signature> find() {
    for (bool more = true; more; more = cursor_.to_next()) {
      const std::vector<TSNode>& path = cursor_.path();
      while (!open_.empty() && open_.back().depth >= path.size()) open_.pop_back();
      if (grammar_.role(path.back()).definition == nullptr || open_.size() == kMaxNested) continue;
      const auto definition = definitions_.definition_at(path, path.size() - 1);
      if (definition) enter(*definition);
    }
    return std::move(found_);
  }

 private:
  void enter(const Definition& definition) {
    const TSNode& node = cursor_.node();
    ByteRange name = definition.name;
    std::string qualifier(around_.type_of_method(node));
    const std::string_view written = text_.substr(name.begin, name.size());
    if (const std::size_t last = written.rfind("::"); last != written.npos) name.begin += last + 2;
    std::string_view own_name = text_.substr(name.begin, name.size());
    if (definition.kind == DefinitionKind::kImplementation)
      own_name = EnclosingTypes::bare_type(own_name);
    const std::string own(own_name);
    const std::string around = open_.empty() ? std::string() : open_.back().path + ".";
    Open open{cursor_.path().size(), definition.kind,
              around + (qualifier.empty() ? own : qualifier + "." + own), own, name};
    const bool is_function = definition.kind == DefinitionKind::kFunction;
    if (is_function && is_name(own) && !definition.is_value) read(open, std::move(qualifier));
    open_.push_back(std::move(open));
  }

  bool is_in_type() const {
    return !open_.empty() && (open_.back().kind == DefinitionKind::kType ||
                              open_.back().kind == DefinitionKind::kImplementation);
  }

  void read(const Open& function, std::string owner) {
    const auto [list, is_list] = parameters_of(cursor_.node());
    if (ts_node_is_null(list)) return;
    Signature signature{.path = function.path,
                        .name = function.name,
                        .owner = std::move(owner),
                        .declared = function.declared,
                        .head = {function.declared.begin, range_of(list).end},
                        .parameters = range_of(list)};
    if (signature.owner.empty() && is_in_type()) signature.owner = open_.back().name;
    signature.is_member = !signature.owner.empty();
    if (!ParameterReader(types_, text_).read(list, is_list, &signature)) return;
    const std::string_view decorators = this->decorators();
    signature.is_wrapped = !decorators.empty() && !keep_parameters(decorators);
    take_self(decorators, signature);
    const bool is_constructor = has_word(types_.constructors, function.name) ||
                                has_word(types_.constructors, type_of(cursor_.node()));
    if (is_constructor && is_in_type()) {
      signature.name = open_.back().name;
      signature.declared = open_.back().declared;
      signature.is_member = false;
      signature.receiver = Signature::Receiver::kNone;
    } else if (function.name == signature.owner) {
      return;  // C++: what constructs is not always a call
    }
    found_.push_back(std::move(signature));
  }

  // Python: what stands before a definition; may be empty.
  std::string_view decorators() const {
    const std::vector<TSNode>& path = cursor_.path();
    if (path.size() < 2 || type_of(path[path.size() - 2]) != "decorated_definition") return {};
    const std::size_t begin = range_of(path[path.size() - 2]).begin;
    return text_.substr(begin, range_of(path.back()).begin - begin);
  }

  // Whether all of their names are known to.
  static bool keep_parameters(std::string_view decorators) {
    for (std::size_t at = 0; at < decorators.size(); ++at) {
      const std::size_t begin = at;
      while (at < decorators.size() && is_name_byte(decorators[at])) ++at;
      if (at > begin && !has_word(kKeepParameters, decorators.substr(begin, at - begin)))
        return false;
    }
    return true;
  }

  // Python: the first parameter of a method.
  void take_self(std::string_view decorators, Signature& signature) const {
    if (!types_.has_explicit_self || !is_in_type() || signature.all.empty()) return;
    if (has_name(decorators, "staticmethod")) return;
    if (signature.all.front().kind == Parameter::Kind::kRest) return;
    signature.all.erase(signature.all.begin());
    signature.receiver = has_name(decorators, "classmethod") ? Signature::Receiver::kType
                                                             : Signature::Receiver::kObject;
  }

  // In some grammars the field also has the parameters that are types.
  TSNode first_list(const TSNode& function) const {
    TreeCursor cursor(function);
    for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
      const bool is_list = has_word(types_.parameter_lists, type_of(cursor.node()));
      if (is_list && cursor.field() == "parameters") return cursor.node();
    }
    return child_by_field(function, "parameters");
  }

  // And whether it is a list rather than one parameter.
  std::pair<TSNode, bool> parameters_of(const TSNode& definition) const {
    TSNode function = definition;
    for (const std::string_view field : {"value", "right"}) {
      const TSNode value = child_by_field(definition, field);
      if (!ts_node_is_null(value)) function = value;
    }
    TSNode list = first_list(function);
    // C and C++: of several the one next to the name.
    for (TSNode node = child_by_field(function, "declarator"); !ts_node_is_null(node);) {
      if (type_of(node) == "function_declarator") list = child_by_field(node, "parameters");
      const bool is_around =
          has_word("reference_declarator parenthesized_declarator", type_of(node));
      node = is_around ? last_named_child(node) : child_by_field(node, "declarator");
    }
    if (ts_node_is_null(list)) return {child_by_field(function, "parameter"), false};
    const bool is_list = has_word(types_.parameter_lists, type_of(list));
    return {is_list ? list : TSNode{}, true};
  }

  const Grammar& grammar_;
  const SignatureTypes& types_;
  std::string_view text_;
  EnclosingTypes around_;
  DefinitionFinder definitions_;
  TreeCursor cursor_;
  std::vector<Open> open_;
  std::vector<Signature> found_;
};

class CallReader {
 public:
  CallReader(const Grammar& grammar, std::string_view text) : grammar_(grammar), text_(text) {}

  std::optional<Call> read(const NamePlace& place) const {
    const SignatureTypes& types = *grammar_.signatures();
    if (is_no_code(place)) return std::nullopt;
    std::size_t at = place.path.size() - 1;
    while (at > 0 && is_at(types.callee_parts, place, at)) --at;
    if (at == 0 || !is_at(types.calls, place, at)) return std::nullopt;
    const TSNode& node = place.path[at - 1];
    const TSNode list = child_by_field(node, "arguments");
    if (ts_node_is_null(list) || !has_word(types.argument_lists, type_of(list)))
      return std::nullopt;
    Call call{
        .name = place.range, .range = range_of(node), .arguments = range_of(list), .receiver = {}};
    call.receiver = receiver(place, node);
    read_arguments(list, call);
    return call;
  }

 private:
  // Text that is no code.
  static bool is_no_code(const NamePlace& place) {
    return place.role == NameRole::kComment || place.role == NameRole::kText ||
           place.role == NameRole::kRaw;
  }

  // "a.b" of "a.b.f(1)", "new" of "new F(1)".
  std::string receiver(const NamePlace& place, const TSNode& call) const {
    const std::size_t begin = range_of(call).begin;
    std::string_view before = text_.substr(begin, place.range.begin - begin);
    constexpr std::string_view kBetween = " \t\r\n?";
    before = before.substr(0, before.find_last_not_of(kBetween) + 1);
    for (const std::string_view mark : {"->", "::", "."}) {
      if (!before.ends_with(mark)) continue;
      before.remove_suffix(mark.size());
      return std::string(before.substr(0, before.find_last_not_of(kBetween) + 1));
    }
    return {};
  }

  void read_arguments(const TSNode& list, Call& call) const {
    if (ts_node_has_error(list) || ts_node_child_count(list) > kMaxParts) {
      call.is_odd = true;
      return;
    }
    TreeCursor cursor(list);
    for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
      const TSNode& node = cursor.node();
      if (is_comment(type_of(node))) call.is_odd = true;
      if (ts_node_is_named(node) && !is_comment(type_of(node))) call.all.push_back(argument(node));
    }
  }

  Argument argument(const TSNode& node) const {
    Argument made{.range = range_of(node), .value = range_of(node), .name = {}};
    made.is_spread = has_word(grammar_.signatures()->spreads, type_of(node));
    const TSNode name = argument_name(grammar_.scopes()->arguments, node);
    made.has_effects = has_effects(node, !ts_node_is_null(name));
    if (ts_node_is_null(name)) return made;
    const ByteRange range = range_of(name);
    made.name = std::string(text_.substr(range.begin, range.size()));
    const std::size_t mark = text_.find_first_of("=:", range.end);
    if (mark < made.range.end) made.value.begin = skip_space(text_, mark + 1);
    return made;
  }

  // Whether to evaluate it may do something. What a function in it does is not done yet.
  bool has_effects(const TSNode& node, bool is_named) const {
    TreeCursor cursor(node);
    for (bool more = true; more;) {
      const TSNode& each = cursor.node();
      const std::string_view type = type_of(each);
      const bool is_function = has_word(grammar_.scopes()->functions, type);
      const bool is_effect = does_something(type) || has_word(grammar_.signatures()->effects, type);
      const bool is_own = is_named && ts_node_eq(each, node);  // Scala: `a = 1` looks like one
      if (!is_function && !is_own && is_effect) return true;
      more = (!is_function && cursor.to_first_child()) || cursor.to_next_outside();
    }
    return false;
  }

  static bool does_something(std::string_view type) {
    constexpr std::string_view kWords[] = {"call",
                                           "invocation",
                                           "creation",
                                           "new_expression",
                                           "await",
                                           "yield",
                                           "assignment",
                                           "named_expression",
                                           "update_expression",
                                           "macro",
                                           "delete",
                                           "try",
                                           "declaration_expression"};
    constexpr std::string_view kSigns = "++ -- <- :=";
    return has_word(kSigns, type) || std::ranges::any_of(kWords, [&](std::string_view word) {
             return type.find(word) != type.npos;
           });
  }

  const Grammar& grammar_;
  std::string_view text_;
};

}  // namespace

std::vector<Signature> find_signatures(const Grammar& grammar, std::string_view text,
                                       const TSNode& root) {
  return SignatureFinder(grammar, text, root).find();
}

std::vector<Call> find_calls(const Grammar& grammar, std::string_view text, const TSNode& root,
                             std::string_view name) {
  std::vector<Call> calls;
  const CallReader reader(grammar, text);
  for (const NamePlace& place : find_places(grammar, text, root, name, kMaxPlaces)) {
    if (std::optional<Call> call = reader.read(place)) calls.push_back(std::move(*call));
  }
  return calls;
}

}  // namespace redraft
