#include "indexing/syntax/name_finder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "indexing/syntax/declared_names.h"
#include "indexing/syntax/receiver_types.h"
#include "indexing/syntax/undeclared_use.h"
#include "support/utf8/utf8.h"
#include "text/strings/names.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxReceiverBytes = 40;  // in messages

class NameFinder : private DeclaredNames {
 public:
  NameFinder(const Grammar& grammar, std::string_view text, const TSNode& root,
             std::string_view name)
      : DeclaredNames(grammar, text, root, name), receivers_(grammar, text, root) {}

  NameMeanings find() {
    for (const NamePlace& place : places_) find_embedded(place);
    for (std::size_t i = 0; i < places_.size(); ++i) refer(i);
    relate_interfaces();
    for (NamedThing& thing : meanings_.things) {
      std::ranges::sort(thing.uses, {}, [](const NameUse& use) { return use.range.begin; });
    }
    return std::move(meanings_);
  }

 private:
  void refer(std::size_t index) {
    const NamePlace& place = places_[index];
    if (place.is_shorthand && !types_.fields.empty()) refer_to_field(place, NameUse::Form::kField);
    if (declares_[index]) return;
    switch (place.role) {
      case NameRole::kReference:
      case NameRole::kDeclaration:  // of what is declared further outside
      case NameRole::kMemberDeclaration:
      case NameRole::kFree:
        return refer_by_name(place);
      case NameRole::kMember:
      case NameRole::kQualified:
        return refer_to_member(place);
      case NameRole::kArgument:
        return refer_to_parameter(place);
      case NameRole::kField:
        return refer_to_field(place, NameUse::Form::kPlain);
      case NameRole::kUnsure:
      case NameRole::kRaw:
        return refer_perhaps(place);
      case NameRole::kComment:
        meanings_.in_comments.push_back(place.range);
        return;
      case NameRole::kText:
        meanings_.as_text.push_back({place.range, place.text_form});
        return;
      case NameRole::kOther:
        return;
    }
  }

  void refer_by_name(const NamePlace& place) {
    const Resolved resolved = resolve(place);
    if (resolved.thing) return add_use(*resolved.thing, place);
    // A variable may be an argument of a template, but never what stands before "::".
    if (resolved.skips_non_type && !is_at(types_.type_places, place, place.path.size() - 1))
      return refer_perhaps(place);
    if (types_.bare_members ? refer_to_inherited(place) : refer_to_imported(place)) return;
    meanings_.unknown.push_back(place.range);
    if (auto use = undeclared_use(types_, text_, place)) meanings_.undeclared.push_back(*use);
  }

  // Rust: what "use Shape::Circle", or "use Shape::*", makes known by its name alone.
  bool refer_to_imported(const NamePlace& place) {
    if (types_.member_imports.empty()) return false;
    bool is_any = false;
    for (const auto& [key, thing] : members_) {
      const std::string all = key.first + "::*";
      const bool is_imported =
          !key.first.empty() && (text_.find(all) != std::string_view::npos || imports(thing));
      if (is_imported) add_use(thing, place);
      is_any = is_any || is_imported;
    }
    return is_any;
  }

  // Whether an import of this file names the member.
  bool imports(std::size_t member) const {
    return std::ranges::any_of(places_, [&](const NamePlace& place) {
      const bool is_import = std::ranges::any_of(place.path, [&](const TSNode& node) {
        return has_word(types_.member_imports, type_of(node));
      });
      return is_import && place.role == NameRole::kQualified &&
             member_of(EnclosingTypes::bare_type(receiver_of(text_, place)), place) == member;
    });
  }

  // A member that the type around has from another one, or a macro gives a function the type of:
  // TEST_F(Type, Name) {}.
  bool refer_to_inherited(const NamePlace& place) {
    std::string_view macro;
    for (std::size_t i = place.path.size(); i-- > 0 && macro.empty();) {
      const TSNode declarator = child_by_field(place.path[i], "declarator");
      if (is_function(place.path[i]) && !ts_node_is_null(declarator) &&
          ts_node_is_null(child_by_field(place.path[i], "type")))
        macro = around_.text_of(declarator);
    }
    const std::string_view bases = around_.bases_of(place);
    bool is_any = false;
    for (const std::size_t thing : members(place.is_callable)) {
      const std::string& owner = meanings_.things[thing].owner;
      const bool is_certain = has_name(bases, owner) || has_name(macro, owner);
      if (is_certain || around_.type_of(place).empty()) {
        add_use(thing, place,
                is_certain ? ""
                           : "it is not certain that '" + std::string(name_) +
                                 "' is a member of '" + owner + "' there");
        is_any = true;
      }
    }
    return is_any;
  }

  // Rust: "super::name" and "self::name" within a module of this file.
  bool is_of_module(std::string_view receiver, const NamePlace& place) {
    const bool is_within = std::ranges::any_of(
        place.path, [](const TSNode& node) { return type_of(node) == "mod_item"; });
    return is_within && (receiver == "super" || receiver == "self") &&
           resolve(place).thing.has_value();
  }

  // Go: a type that is a member of another under its own name.
  void find_embedded(const NamePlace& place) {
    std::size_t at = place.path.size() - 1;
    while (at > 1 && has_word("generic_type pointer_type", type_of(place.path[at - 1]))) --at;
    if (at == 0 || !is_at(types_.embedded, place, at)) return;
    const std::optional<std::size_t> thing = resolve(place).thing;
    if (thing) embedded_[*thing].insert(std::string(around_.type_of(place)));
  }

  void refer_to_embedded(const NamePlace& place, std::string_view type) {
    for (const auto& [thing, owners] : embedded_) {
      const bool is_certain = owners.contains(std::string(type));
      if (!is_certain && table_.find(type) != nullptr) continue;
      add_use(thing, place, is_certain ? "" : is_not_certain("is the embedded type"));
    }
  }

  // Go: a type has the methods of an interface, but does not say for the sake of which.
  void relate_interfaces() {
    std::vector<std::size_t> methods;
    bool is_any = false;
    for (std::size_t i = 0; i < meanings_.things.size(); ++i) {
      const bool is_of_interface = meanings_.things[i].is_of_interface;
      is_any = is_any || is_of_interface;
      if (is_of_interface || is_method(i)) methods.push_back(i);
    }
    if (!is_any || methods.size() < 2) return;
    std::vector<std::pair<std::size_t, NameUse>> others;
    for (const std::size_t to : methods) {
      for (const std::size_t from : methods) {
        if (to == from) continue;
        for (NameUse use : meanings_.things[from].uses) {
          if (!use.doubt.empty()) continue;
          use.doubt = "'" + meanings_.things[from].owner + "' and '" + meanings_.things[to].owner +
                      "' may need the same methods";
          use.declares = false;
          others.emplace_back(to, std::move(use));
        }
      }
    }
    for (auto& [to, use] : others) {
      std::vector<NameUse>& uses = meanings_.things[to].uses;
      const ByteRange range = use.range;
      const auto is_same = [&](const NameUse& each) { return each.range == range; };
      if (std::ranges::none_of(uses, is_same)) uses.push_back(std::move(use));
    }
  }

  bool is_method(std::size_t thing) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (declares_[i] == thing &&
          type_of(places_[i].path[places_[i].declaring]) == "method_declaration")
        return true;
    }
    return false;
  }

  std::string is_not_certain(std::string_view what) const {
    return "it is not certain that '" + std::string(name_) + "' " + std::string(what);
  }

  void refer_to_member(const NamePlace& place) {
    std::string_view receiver = receiver_of(text_, place);
    if (place.role == NameRole::kQualified &&
        (EnclosingTypes::bare_type(receiver) == name_ || is_of_module(receiver, place)))
      return refer_by_name(place);  // a constructor, or what a Rust module has
    const std::string_view around = around_.type_of(place);
    const bool is_super =
        place.role == NameRole::kMember && (receiver.starts_with("super") || receiver == "base");
    const bool is_own = has_word(types_.own, receiver) || around_.is_receiver(receiver, place) ||
                        (receiver.empty() && types_.bare_members);
    receiver = EnclosingTypes::bare_type(receiver);
    if (!is_super) {
      const auto own = member_of(is_own ? around : receiver, place);
      if (own) return add_use(*own, place);
    }
    const std::string_view type = is_own || is_super ? around : receivers_.of_receiver(place);
    if (const auto known = is_super ? std::nullopt : member_or_inherited(type, place))
      return add_use(*known, place);
    if (!type.empty()) meanings_.missing_members.push_back({place.range, std::string(type)});
    const std::string_view bases =
        is_own || is_super ? around_.bases_of(place) : std::string_view();
    for (const std::size_t thing : members(place.is_callable)) {
      if (has_name(bases, meanings_.things[thing].owner)) return add_use(thing, place);
    }
    if (is_super) {
      const auto own = member_of(around, place);
      if (own) meanings_.things[*own].overrides = true;
    }
    refer_to_embedded(place, type);
    if ((is_own && !around.empty()) || is_super) {
      meanings_.unknown_members.push_back(place.range);  // of a type in another file
      return;
    }
    const std::string doubt = "it is not certain that '" + std::string(name_) + "' of '" +
                              shortened(receiver_of(text_, place), kMaxReceiverBytes) +
                              "' is the same";
    for (std::size_t i = 0; i < meanings_.things.size(); ++i) {
      const NamedThing& thing = meanings_.things[i];
      const bool may_be =
          thing.kind == NamedThing::Kind::kMember ||
          (place.role == NameRole::kQualified && thing.kind == NamedThing::Kind::kOfFile);
      if (may_be && !united_.contains(i)) add_use(i, place, doubt);
    }
  }

  // The type whose fields a literal or a pattern around `place` names; empty: it is not known.
  std::string_view literal_type(const NamePlace& place, bool is_pattern) {
    if (is_pattern || !types_.structural_types.empty()) return receivers_.of_pattern(place);
    std::string_view type;
    for (std::size_t i = place.path.size() - 1; i-- > 0 && type.empty();) {
      const std::string_view literal = type_of(place.path[i]);
      if (literal == "with_expression")
        return receivers_.of_expression(ts_node_named_child(place.path[i], 0));
      if (!has_word("struct_expression struct_pattern composite_literal recursive_pattern",
                    literal))
        continue;
      TSNode name = child_by_field(place.path[i], "name");
      if (ts_node_is_null(name)) name = child_by_field(place.path[i], "type");
      if (ts_node_is_null(name)) break;
      type = EnclosingTypes::bare_type(around_.text_of(name));
    }
    return type == "Self" ? around_.type_of(place) : type;
  }

  // "T{name: 1}", but not "n.T{name: 1}", "[]T{{name: 1}}" or "T::Case { name: 1 }".
  bool names_type_alone(const NamePlace& place) const {
    for (std::size_t i = place.path.size() - 1; i-- > 0;) {
      if (!has_word("struct_expression struct_pattern composite_literal", type_of(place.path[i])))
        continue;
      TSNode name = child_by_field(place.path[i], "name");
      if (ts_node_is_null(name)) name = child_by_field(place.path[i], "type");
      return !ts_node_is_null(name) && type_of(name) == "type_identifier";
    }
    return false;
  }

  // T{name: 1}: a field of T, if that is a type of this file.
  void refer_to_field(const NamePlace& place, NameUse::Form form) {
    const std::size_t last = place.path.size() - 1;
    const bool is_pattern = type_of(place.path[last]) == "shorthand_property_identifier_pattern" ||
                            type_of(place.path[last - 1]) == "pair_pattern";
    const bool is_literal = type_of(place.path[last]) == "shorthand_property_identifier";
    if (is_literal && types_.structural_types.empty()) return;  // of no class
    const std::string_view type = literal_type(place, is_pattern);
    refer_to_embedded(place, type);
    const std::optional<std::size_t> known = member_or_inherited(type, place);
    if (!known && names_type_alone(place))
      meanings_.missing_members.push_back({place.range, std::string(type)});
    std::set<std::size_t> seen;
    for (const auto& [key, thing] : members_) {
      if (!seen.insert(thing).second || (known && thing != known)) continue;
      if (!is_pattern && !types_.structural_types.empty() && !structural_.contains(thing)) continue;
      add_use(thing, place, known ? "" : is_not_certain("is of the same type"));
      meanings_.things[thing].uses.back().form = form;
      meanings_.things[thing].uses.back().declares = false;
    }
  }

  // f(name=1): a parameter of f, if there is one, or a field of the type that f constructs.
  void refer_to_parameter(const NamePlace& place) {
    const TSNode callee = around_.callee_of(place);
    if (ts_node_is_null(callee)) return;
    const bool is_named =
        !has_word("implicit_object_creation_expression constructor_initializer", type_of(callee));
    TSNode last = callee;
    if (type_of(callee) == "navigation_expression")  // Kotlin and Swift: a.f
      last = ts_node_named_child(callee, ts_node_named_child_count(callee) - 1);
    for (const std::string_view field : {"attribute", "name", "field"}) {
      const TSNode child = child_by_field(callee, field);
      if (!ts_node_is_null(child) && ts_node_is_null(child_by_field(callee, "arguments")))
        last = child;
    }
    const std::string_view name =
        is_named ? EnclosingTypes::bare_type(around_.text_of(last)) : std::string_view();
    TSNode object{};
    if (!ts_node_eq(last, callee)) object = ts_node_named_child(callee, 0);
    const std::string doubt = name.empty()
                                  ? "it is not certain what is constructed"
                                  : "it is not certain which '" + std::string(name) + "' is called";
    const std::vector<std::size_t> called = called_by(name, object, place);
    for (const std::size_t i : called) {
      const auto construction = constructed_.find(i);
      const bool may_not =
          construction != constructed_.end() && construction->second == Construction::kPerhaps;
      add_use(i, place,
              may_not ? "it is not certain that '" + std::string(name) + "' takes it"
              : called.size() == 1 && is_certain_ ? ""
                                                  : doubt);
    }
  }

  // The parameters and fields that an argument of `object`.`name`() may mean. Sets is_certain_.
  std::vector<std::size_t> called_by(std::string_view name, const TSNode& object,
                                     const NamePlace& place) {
    const std::string_view receiver =
        ts_node_is_null(object) ? std::string_view() : around_.text_of(object);
    const bool is_own = has_word(types_.own, receiver);
    is_certain_ = is_own || receiver.empty();
    if (name.empty() || has_word(types_.field_functions, name)) return constructing(place, name);
    if (!types_.constructor.empty() && name == types_.constructor) {
      const std::string_view types =
          receiver.starts_with("super") ? around_.bases_of(place) : receiver;
      return those(
          [&](std::size_t i) { return is_constructing(i) && has_name(types, owner_of(i)); });
    }
    for (const std::string& type : line_or_name(name)) {
      const auto takes = [&](std::size_t i) {
        return meanings_.things[i].kind == NamedThing::Kind::kParameter && owner_of(i) == type;
      };
      std::vector<std::size_t> found = those(takes);
      if (found.empty())
        found =
            those([&](std::size_t i) { return constructed_.contains(i) && owner_of(i) == type; });
      if (!found.empty()) return of_receiver(std::move(found), object, is_own, place);
      const TypeFacts* const facts = table_.find(type);
      if (facts != nullptr && facts->has_constructor) return {};
    }
    if (!types_.field_functions.empty()) return {};
    is_certain_ = false;  // a.copy(b = 1)
    return those([&](std::size_t i) { return constructed_.contains(i); });
  }

  // Those of `found` that are parameters of the receiver's methods, if its type is known.
  std::vector<std::size_t> of_receiver(std::vector<std::size_t> found, const TSNode& object,
                                       bool is_own, const NamePlace& place) {
    const auto is_of_method = [&](std::size_t i) {
      const auto type = method_types_.find(i);
      return type != method_types_.end() && !type->second.empty();
    };
    if (ts_node_is_null(object)) {
      // A method is not called by its name alone.
      if (!types_.bare_members && std::ranges::any_of(found, std::not_fn(is_of_method)))
        std::erase_if(found, is_of_method);
      return found;
    }
    std::string_view type = is_own ? around_.type_of(place) : receivers_.of_expression(object);
    if (type.empty() && table_.find(around_.text_of(object)) != nullptr)
      type = around_.text_of(object);
    const std::vector<std::string> line = table_.line_of(type);
    for (const std::string& each : line) {
      std::vector<std::size_t> known;
      for (const std::size_t i : found) {
        if (is_of_method(i) && method_types_.at(i) == each) known.push_back(i);
      }
      if (known.empty()) continue;
      is_certain_ = true;
      return known;
    }
    return found;
  }

  // The fields that `cls(name=1)`, `replace(x, name=1)` and `new(name: 1)` may mean.
  std::vector<std::size_t> constructing(const NamePlace& place, std::string_view name) {
    const std::string_view around = around_.type_of(place);
    is_certain_ = name == "cls";
    return those([&](std::size_t i) {
      return is_constructing(i) && (name != "cls" || owner_of(i) == around);
    });
  }

  // Whether it is a field or a parameter with which a type is constructed.
  bool is_constructing(std::size_t i) {
    const bool is_parameter = meanings_.things[i].kind == NamedThing::Kind::kParameter;
    return constructed_.contains(i) || (is_parameter && table_.find(owner_of(i)) != nullptr);
  }

  std::vector<std::string> line_or_name(std::string_view name) {
    std::vector<std::string> line = table_.line_of(name);
    if (line.empty()) line.emplace_back(name);
    return line;
  }

  const std::string& owner_of(std::size_t i) const { return meanings_.things[i].owner; }

  template <typename Is>
  std::vector<std::size_t> those(const Is& is) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < meanings_.things.size(); ++i) {
      if (!united_.contains(i) && is(i)) found.push_back(i);
    }
    return found;
  }

  void refer_perhaps(const NamePlace& place) {
    bool is_any = false;
    for (std::size_t i = 0; i < meanings_.things.size(); ++i) {
      const NamedThing& thing = meanings_.things[i];
      const bool is_outer =
          thing.kind == NamedThing::Kind::kOfFile || thing.kind == NamedThing::Kind::kMember;
      if (united_.contains(i) || !thing.scope.contains(place.range) ||
          (place.role == NameRole::kRaw && !is_outer))
        continue;
      add_use(i, place, "it is not certain what '" + std::string(name_) + "' means there");
      is_any = true;
    }
    if (!is_any) meanings_.unknown.push_back(place.range);
  }

  ReceiverTypes receivers_;
  // Types that are members, and of which types.
  std::map<std::size_t, std::set<std::string>> embedded_;
  bool is_certain_ = false;  // see called_by()
};

}  // namespace

NameMeanings find_meanings(const Grammar& grammar, std::string_view text, const TSNode& root,
                           std::string_view name) {
  return NameFinder(grammar, text, root, name).find();
}

}  // namespace redraft
