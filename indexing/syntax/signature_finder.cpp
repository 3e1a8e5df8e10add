#include "indexing/syntax/signature_finder.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "indexing/syntax/bracket_list.h"
#include "indexing/syntax/definition_finder.h"
#include "indexing/syntax/enclosing_types.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

// More parameters are data rather than code.
constexpr std::uint32_t kMaxParts = 256;
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
  // Kotlin's parameters have no fields.
  const TSNode first = ts_node_named_child(node, 0);
  if (type == "parameter" && ts_node_is_null(child_by_field(node, "type")) &&
      !ts_node_is_null(first) && type_of(first) == "identifier")
    return first;
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
  bool read(const BracketList& list, bool is_list, Signature* signature) {
    signature_ = signature;
    if (ts_node_child_count(list.node) > kMaxParts || has_error(list)) return false;
    if (!is_list) {
      add(list.node);
      return true;
    }
    TreeCursor cursor(list.node);
    for (bool more = cursor.to_first_child(); more; more = cursor.to_next_sibling()) {
      if (list.range.contains(range_of(cursor.node()))) read_part(cursor.node(), cursor.field());
    }
    return true;
  }

 private:
  std::string_view text_of(const TSNode& node) const {
    const ByteRange range = range_of(node);
    return text_.substr(range.begin, range.size());
  }

  void read_part(const TSNode& node, std::string_view field) {
    const std::string_view type = type_of(node);
    if (type == "=") return take_default();
    if (is_default_) {
      is_default_ = is_comment(type);
      return;
    }
    if (!ts_node_is_named(node) && !has_word(types_.rest, type)) return;
    if (has_word(types_.attributes, type)) is_rest_ = is_rest_ || has_rest_mark(node);
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

  // Kotlin and Swift have the default of a parameter beside it.
  void take_default() {
    if (!signature_->all.empty()) signature_->all.back().is_optional = true;
    is_default_ = true;
  }

  bool has_rest_mark(const TSNode& node) const {
    const std::string_view text = text_of(node);
    return std::ranges::any_of(split_words(types_.rest_marks),
                               [&](std::string_view word) { return has_name(text, word); });
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
    if (is_rest || is_rest_) {
      is_by_name_ = is_by_name_ || is_rest_;
      is_rest_ = false;
      return add(Parameter::Kind::kRest, name_of(node), false);
    }
    if (types_.style.has_labels) return add_labelled(node);
    const std::string name = name_of(node);
    if (name.empty() && text_of(node) == "void") return;  // C: "f(void)"
    add(is_by_name_ ? Parameter::Kind::kByName : Parameter::Kind::kPlain, name, is_default);
    signature_->all.back().type = type_written_in(node);
  }

  void add(Parameter::Kind kind, std::string_view name, bool is_optional) {
    signature_->all.push_back({kind, std::string(name), is_optional});
  }

  // Swift: "name: T" and "label name: T" are called by a label, "_ name: T" is not.
  void add_labelled(const TSNode& node) {
    const TSNode label = child_by_field(node, "external_name");
    const bool has_none = !ts_node_is_null(label) && text_of(label) == "_";
    const bool is_own = ts_node_is_null(label) || has_none;
    const std::string name = is_own ? name_of(node) : std::string(text_of(label));
    const std::uint32_t count = ts_node_child_count(node);
    if (count > 0 && has_word(types_.rest_marks, type_of(ts_node_child(node, count - 1))))
      return add(Parameter::Kind::kRest, has_none ? std::string() : name, false);
    add(has_none ? Parameter::Kind::kByPlace : Parameter::Kind::kByName, name, false);
    signature_->all.back().type = type_written_in(node);
  }

  std::string type_written_in(const TSNode& node) const {
    TSNode type = child_by_field(node, "type");
    const bool is_last = type_of(node) == "parameter" && ts_node_named_child_count(node) > 1;
    if (ts_node_is_null(type) && is_last) type = last_named_child(node);
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
    const std::string_view type = type_of(node);
    const bool is_name = type.ends_with("identifier") || type.ends_with("_pattern");
    return is_name ? without_blanks(text_of(node)) : std::string();
  }

  const SignatureTypes& types_;
  std::string_view text_;
  Signature* signature_ = nullptr;
  bool is_by_name_ = false;
  bool is_rest_ = false;     // the next parameter takes all further arguments
  bool is_default_ = false;  // the next node is the default of the last parameter
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
    if (ts_node_is_null(list.node)) return;
    Signature signature{.path = function.path,
                        .name = function.name,
                        .owner = std::move(owner),
                        .declared = function.declared,
                        .head = {function.declared.begin, list.range.end},
                        .parameters = list.range};
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

  // The first parameter of a method.
  void take_self(std::string_view decorators, Signature& signature) const {
    if (types_.style.passes_object && !signature.all.empty() &&
        is_object(signature.all.front(), signature.owner)) {
      signature.all.erase(signature.all.begin());
      signature.receiver = Signature::Receiver::kObject;
    }
    if (!types_.has_explicit_self || !is_in_type() || signature.all.empty()) return;
    if (has_name(decorators, "staticmethod")) return;
    if (signature.all.front().kind == Parameter::Kind::kRest) return;
    signature.all.erase(signature.all.begin());
    signature.receiver = has_name(decorators, "classmethod") ? Signature::Receiver::kType
                                                             : Signature::Receiver::kObject;
  }

  // Zig: "self: anytype", "other: *const K" in the type `owner`.
  bool is_object(const Parameter& first, std::string_view owner) const {
    if (has_word(grammar_.scopes()->own, first.name)) return true;
    std::string_view type = first.type;
    if (type.starts_with('*')) type.remove_prefix(1);
    if (type.starts_with("const")) type.remove_prefix(5);
    return type == "@This()" || type == "Self" || (!owner.empty() && type == owner);
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
  std::pair<BracketList, bool> parameters_of(const TSNode& definition) const {
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
    if (ts_node_is_null(list)) {
      const TSNode one = child_by_field(function, "parameter");
      if (!ts_node_is_null(one)) return {{one, range_of(one)}, false};
      return {list_in(function, types_.parameter_lists).value_or(BracketList{}), true};
    }
    const bool is_list = has_word(types_.parameter_lists, type_of(list));
    return {is_list ? BracketList{list, range_of(list)} : BracketList{}, true};
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

}  // namespace

std::vector<Signature> find_signatures(const Grammar& grammar, std::string_view text,
                                       const TSNode& root) {
  return SignatureFinder(grammar, text, root).find();
}

}  // namespace redraft
