#include "indexing/syntax/name_finder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "indexing/syntax/enclosing_types.h"
#include "indexing/syntax/name_places.h"
#include "indexing/syntax/undeclared_use.h"
#include "support/utf8/utf8.h"
#include "text/strings/names.h"

namespace redraft {
namespace {

// Nobody renames a name by hand that occurs in more places.
constexpr std::size_t kMaxPlaces = 5000;

constexpr std::size_t kMaxReceiverBytes = 40;  // in messages

// One thing as known in one scope. A member is known in each part of its type.
struct Declared {
  std::size_t thing = 0;
  ByteRange known_in;
  bool is_type = false;  // or may be one
  bool is_callable = false;
  bool is_member = false;
};

// What a name at a place refers to.
struct Resolved {
  std::optional<std::size_t> thing;
  // Whether the scopes that were searched know the name as something that is not a type, although
  // the place names a type.
  bool skips_non_type = false;
};

class NameFinder {
 public:
  NameFinder(const Grammar& grammar, std::string_view text, const TSNode& root,
             std::string_view name)
      : types_(*grammar.scopes()),
        text_(text),
        name_(name),
        around_(types_, text),
        places_(find_places(grammar, text, root, name, kMaxPlaces)) {}

  NameMeanings find() {
    for (const NamePlace& place : places_) {
      if (place.role == NameRole::kFree)
        free_[place.path[scope_of_free(place)].id] = is_in_any("global_statement", place);
    }
    is_declared_.assign(places_.size(), false);
    for (std::size_t i = 0; i < places_.size(); ++i) declare(i);
    unite_members();
    for (std::size_t i = 0; i < places_.size(); ++i) refer(i);
    for (NamedThing& thing : meanings_.things) {
      std::ranges::sort(thing.uses, {}, [](const NameUse& use) { return use.range.begin; });
    }
    return std::move(meanings_);
  }

 private:
  bool is_function(const TSNode& node) const { return has_word(types_.functions, type_of(node)); }
  bool is_type(const TSNode& node) const { return has_word(types_.types, type_of(node)); }

  std::size_t scope_of_free(const NamePlace& place) const {
    std::size_t at = place.path.size() - 1;
    while (at > 0 && !is_function(place.path[at])) --at;
    return at;
  }

  // What a scope has in common with others: a C++ namespace is one wherever it is opened, and an
  // unnamed one is part of what is around it.
  const void* scope_key(const NamePlace& place, std::size_t index) {
    while (index > 0 && type_of(place.path[index]) == "namespace_definition") {
      const TSNode name = child_by_field(place.path[index], "name");
      if (!ts_node_is_null(name))
        return namespaces_.try_emplace(std::string(around_.text_of(name)), place.path[index].id)
            .first->second;
      do {
        --index;
      } while (index > 0 && type_of(place.path[index]) != "namespace_definition");
    }
    return place.path[index].id;
  }

  void add_use(std::size_t thing, const NamePlace& place, std::string doubt = {}) {
    NameUse use{.range = place.range, .doubt = std::move(doubt)};
    use.declares =
        place.role == NameRole::kDeclaration || place.role == NameRole::kMemberDeclaration;
    if (place.is_shorthand) use.form = NameUse::Form::kShorthand;
    if (place.is_import) use.form = NameUse::Form::kImported;
    if (place.is_export) use.form = NameUse::Form::kExported;
    meanings_.things[thing].uses.push_back(std::move(use));
  }

  std::size_t thing_of_member(std::string_view owner, bool is_callable) {
    const auto [at, is_new] =
        members_.try_emplace({std::string(owner), is_callable}, meanings_.things.size());
    if (is_new) {
      meanings_.things.push_back({.kind = NamedThing::Kind::kMember,
                                  .scope = {0, text_.size()},
                                  .owner = std::string(owner)});
    }
    return at->second;
  }

  // A method and those that override it are one.
  void unite_members() {
    for (const auto& [thing, trait] : traits_) {
      const bool is_of_file = members_.contains({std::string(trait), false});
      if (!is_of_file) meanings_.things[thing].overrides = true;
    }
    for (auto& [key, thing] : members_) {
      for (const auto& [other, other_thing] : members_) {
        if (other.second != key.second || thing == other_thing) continue;
        if (!has_name(bases_[key.first], other.first)) continue;
        const std::size_t gone = thing;
        std::vector<NameUse>& uses = meanings_.things[gone].uses;
        std::vector<NameUse>& into = meanings_.things[other_thing].uses;
        into.insert(into.end(), uses.begin(), uses.end());
        uses.clear();
        replace_thing(gone, other_thing);
        united_.insert(gone);
      }
    }
  }

  void replace_thing(std::size_t gone, std::size_t by) {
    if (constructed_.erase(gone) > 0) constructed_.insert(by);
    for (auto& [key, thing] : members_) {
      if (thing == gone) thing = by;
    }
    for (auto& [scope, all] : declared_) {
      for (Declared& declared : all) {
        if (declared.thing == gone) declared.thing = by;
      }
    }
  }

  void declare(std::size_t index) {
    const NamePlace& place = places_[index];
    if (place.role == NameRole::kMember) return declare_by_assignment(index);
    const bool is_in_type = place.role == NameRole::kMemberDeclaration;
    if (place.role != NameRole::kDeclaration && !is_in_type) return;
    if (free_.contains(place.path[place.scope].id)) return;  // it is declared further outside
    const TSNode& scope = place.path[place.scope];
    const TSNode& declaring = place.path[place.declaring];
    const bool is_parameter_of_type =
        type_of(declaring).find("type_parameter") != std::string::npos;
    std::string_view owner =
        is_type(scope) ? around_.name_of(place, place.scope) : std::string_view();
    if (is_in_type && type_of(declaring) == "method_declaration" && owner.empty())
      owner = around_.type_of_method(declaring);
    const bool is_member = is_in_type || (is_type(scope) && !is_parameter_of_type);
    if (is_member && owner == name_) return;  // a constructor
    const std::size_t thing =
        is_member ? thing_of_member(owner, place.is_callable) : thing_in(place);
    if (is_member && place.is_parameter) constructed_.insert(thing);
    NamedThing& named = meanings_.things[thing];
    if (types_.bare_members && is_function(declaring)) ++named.n_functions;
    add_use(thing, place);
    if (is_member && has_word(types_.structural_types, type_of(scope))) structural_.insert(thing);
    if (is_member) read_trait(scope, thing, std::string(owner));
    if (is_member) bases_[std::string(owner)] += std::string(around_.bases_of(place));
    is_declared_[index] = true;
    Declared declared{.thing = thing,
                      .known_in = known_range(types_, text_, place),
                      .is_type = place.is_type || place.is_import || names_type(declaring),
                      .is_callable = place.is_callable,
                      .is_member = is_member};
    declared_[scope_key(place, place.scope)].push_back(declared);
  }

  // Rust: a trait's implementation has what the trait has.
  void read_trait(const TSNode& scope, std::size_t thing, const std::string& owner) {
    const TSNode trait = child_by_field(scope, "trait");
    if (ts_node_is_null(trait)) return;
    const std::string_view name = EnclosingTypes::bare_type(around_.text_of(trait));
    bases_[owner] += " " + std::string(name);
    traits_.emplace_back(thing, name);
  }

  // The local, parameter or outermost thing that `place` declares, which its scope may have
  // already.
  std::size_t thing_in(const NamePlace& place) {
    for (const Declared& declared : declared_[scope_key(place, place.scope)]) {
      if (!declared.is_member && declared.is_callable == place.is_callable) return declared.thing;
    }
    NamedThing thing{.kind = NamedThing::Kind::kVariable,
                     .scope = range_of(place.path[place.scope])};
    const bool is_outermost =
        place.scope == 0 || type_of(place.path[place.scope]) == "namespace_definition";
    if (is_outermost) {
      thing.kind = NamedThing::Kind::kOfFile;
      thing.scope = {0, text_.size()};
    }
    if (place.is_parameter) {
      thing.kind = NamedThing::Kind::kParameter;
      thing.owner = std::string(around_.function_of(place));
    }
    if (place.is_import) thing.kind = NamedThing::Kind::kImport;
    meanings_.things.push_back(std::move(thing));
    return meanings_.things.size() - 1;
  }

  // Python's and JavaScript's "self.name = 1".
  void declare_by_assignment(std::size_t index) {
    const NamePlace& place = places_[index];
    const std::size_t last = place.path.size() - 1;
    if (last < 2 || place.fields[last - 1] != "left" ||
        type_of(place.path[last - 2]).find("assignment") == std::string::npos)
      return;
    const std::string_view owner = around_.type_of(place);
    if (!types_.has_assigned_members || owner.empty() ||
        !has_word(types_.own, receiver_of(text_, place)) || owner == name_)
      return;
    thing_of_member(owner, false);
    bases_[std::string(owner)] += std::string(around_.bases_of(place));
  }

  void refer(std::size_t index) {
    const NamePlace& place = places_[index];
    if (place.is_shorthand && !types_.fields.empty()) refer_to_field(place, NameUse::Form::kField);
    if (is_declared_[index]) return;
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
        meanings_.as_text.push_back(place.range);
        return;
      case NameRole::kOther:
        return;
    }
  }

  // Goes outwards from `place` to the innermost scope that knows its name.
  Resolved resolve(const NamePlace& place) {
    Resolved resolved;
    bool crossed_function = false;  // a member of a type around it is not known by its name alone
    bool is_outside_next = false;   // of the next function or type: the place is in its head
    for (std::size_t i = place.path.size(); i-- > 0;) {
      const TSNode& node = place.path[i];
      if (is_outside_next && (is_function(node) || is_type(node))) {
        is_outside_next = false;
      } else {
        look_up(place, i, crossed_function, resolved);
        crossed_function = crossed_function || is_function(node);
      }
      if (resolved.thing) return resolved;
      if (i > 1 && is_taken_from_root(node)) {
        i = 1;  // the root is next
      } else if (i > 0 && is_at(types_.outside, place, i)) {
        is_outside_next = true;
      }
    }
    return resolved;
  }

  // Looks the name up in the scope of path[index]; if that is a method outside of its type, also
  // among the members of the type.
  void look_up(const NamePlace& place, std::size_t index, bool crossed_function,
               Resolved& resolved) {
    const TSNode& node = place.path[index];
    if (const auto found = declared_.find(scope_key(place, index)); found != declared_.end()) {
      for (const Declared& declared : found->second) {
        if (!may_mean(place, declared, crossed_function)) continue;
        if (!place.is_type || declared.is_type) {
          resolved.thing = declared.thing;
          return;
        }
        resolved.skips_non_type = true;
      }
    }
    if (types_.bare_members && is_function(node))
      resolved.thing = member_of(around_.type_of_method(node), place);
  }

  bool may_mean(const NamePlace& place, const Declared& declared, bool crossed_function) const {
    if (!declared.known_in.contains(place.range.begin)) return false;
    if (declared.is_member && crossed_function && !types_.bare_members) return false;
    return declared.is_callable == place.is_callable || declared.is_type;
  }

  // Whether a function takes the name from the outermost level: Python's `global name`.
  bool is_taken_from_root(const TSNode& function) const {
    const auto free = free_.find(function.id);
    return free != free_.end() && free->second;
  }

  // nullopt: the type has no such member, or `owner` is empty.
  std::optional<std::size_t> member_of(std::string_view owner, const NamePlace& place) const {
    if (owner.empty()) return std::nullopt;
    const auto member = members_.find({std::string(owner), place.is_callable});
    return member == members_.end() ? std::nullopt : std::optional(member->second);
  }

  void refer_by_name(const NamePlace& place) {
    const Resolved resolved = resolve(place);
    if (resolved.thing) return add_use(*resolved.thing, place);
    // A variable may be an argument of a template, but never what stands before "::".
    if (resolved.skips_non_type && !is_at(types_.type_places, place, place.path.size() - 1))
      return refer_perhaps(place);
    if (types_.bare_members && refer_to_inherited(place)) return;
    meanings_.unknown.push_back(place.range);
    if (auto use = undeclared_use(types_, text_, place)) meanings_.undeclared.push_back(*use);
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

  // The members that the name of a receiver's type could mean.
  std::vector<std::size_t> members(bool is_callable) const {
    std::vector<std::size_t> found;
    for (const auto& [key, thing] : members_) {
      const bool is_new = std::ranges::find(found, thing) == found.end();  // see unite_members()
      if (key.second == is_callable && is_new) found.push_back(thing);
    }
    return found;
  }

  void refer_to_member(const NamePlace& place) {
    std::string_view receiver = receiver_of(text_, place);
    if (place.role == NameRole::kQualified && EnclosingTypes::bare_type(receiver) == name_)
      return refer_by_name(place);  // a constructor
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
    const std::string_view bases =
        is_own || is_super ? around_.bases_of(place) : std::string_view();
    for (const std::size_t thing : members(place.is_callable)) {
      if (has_name(bases, meanings_.things[thing].owner)) return add_use(thing, place);
    }
    if (is_super) {
      const auto own = member_of(around, place);
      if (own) meanings_.things[*own].overrides = true;
    }
    if (is_own || is_super) {
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

  // T{name: 1}: a field of T, if that is a type of this file.
  void refer_to_field(const NamePlace& place, NameUse::Form form) {
    std::string_view type;
    for (std::size_t i = place.path.size() - 1; i-- > 0 && type.empty();) {
      const std::string_view literal = type_of(place.path[i]);
      if (!has_word("struct_expression struct_pattern composite_literal", literal)) continue;
      TSNode name = child_by_field(place.path[i], "name");
      if (ts_node_is_null(name)) name = child_by_field(place.path[i], "type");
      if (ts_node_is_null(name)) break;
      type = EnclosingTypes::bare_type(around_.text_of(name));
    }
    if (type == "Self") type = around_.type_of(place);
    for (const auto& [key, thing] : members_) {
      const bool is_certain = !type.empty() && key.first == type;
      if (!is_certain && !type.empty() && members_.contains({std::string(type), false})) continue;
      if (!types_.structural_types.empty() && !structural_.contains(thing)) continue;
      add_use(thing, place,
              is_certain
                  ? ""
                  : "it is not certain that '" + std::string(name_) + "' is of the same type");
      meanings_.things[thing].uses.back().form = form;
    }
  }

  // f(name=1): a parameter of f, if there is one.
  void refer_to_parameter(const NamePlace& place) {
    const std::string_view callee = around_.callee_of(place);
    const std::string_view name = EnclosingTypes::bare_type(callee);
    const bool is_method = name.size() < callee.size();
    const std::string_view receiver = callee.substr(0, callee.size() - name.size());
    const std::string_view types =
        receiver.starts_with("super") ? around_.bases_of(place) : receiver;
    const bool is_constructor = !types_.constructor.empty() && name == types_.constructor;
    const auto is_called = [&](std::size_t i) {
      const NamedThing& thing = meanings_.things[i];
      return (thing.kind == NamedThing::Kind::kParameter || constructed_.contains(i)) &&
             (is_constructor ? has_name(types, thing.owner) : thing.owner == name);
    };
    std::vector<std::size_t> called;
    for (std::size_t i = 0; i < meanings_.things.size(); ++i) {
      if (is_called(i)) called.push_back(i);
    }
    const bool is_certain =
        called.size() == 1 &&
        (!is_method || has_word(types_.own, callee.substr(0, callee.rfind('.'))));
    if (called.empty()) called.assign(constructed_.begin(), constructed_.end());  // a.copy(b = 1)
    for (const std::size_t i : called) {
      add_use(i, place,
              is_certain ? "" : "it is not certain which '" + std::string(name) + "' is called");
    }
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

  const ScopeTypes& types_;
  std::string_view text_;
  std::string_view name_;
  EnclosingTypes around_;
  std::vector<NamePlace> places_;
  std::vector<bool> is_declared_;  // [place]: whether declare() has made a use of it
  std::map<std::string, const void*> namespaces_;                 // the first node of each
  std::map<const void*, std::vector<Declared>> declared_;         // by the scope's node
  std::map<std::pair<std::string, bool>, std::size_t> members_;   // by type, and if it is called
  std::vector<std::pair<std::size_t, std::string_view>> traits_;  // of members: see read_trait()
  std::set<std::size_t> structural_;          // members of ScopeTypes::structural_types
  std::set<std::size_t> constructed_;         // members that are parameters of their type
  std::set<std::size_t> united_;              // members that are another's
  std::map<std::string, std::string> bases_;  // what a type with such a member is based on
  // Functions that take the name from further outside, and if from the outermost level.
  std::map<const void*, bool> free_;
  NameMeanings meanings_;
};

}  // namespace

NameMeanings find_meanings(const Grammar& grammar, std::string_view text, const TSNode& root,
                           std::string_view name) {
  return NameFinder(grammar, text, root, name).find();
}

}  // namespace redraft
