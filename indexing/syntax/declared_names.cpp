#include "indexing/syntax/declared_names.h"

#include <algorithm>

#include "text/strings/names.h"

namespace redraft {
namespace {

// Nobody renames a name by hand that occurs in more places.
constexpr std::size_t kMaxPlaces = 5000;

bool is_within(const NamePlace& place, std::string_view type) {
  return std::ranges::any_of(place.path, [&](const TSNode& node) { return type_of(node) == type; });
}

// The types of a function's parameters, as they are written.
std::string parameter_types(const TSNode& list, const EnclosingTypes& around) {
  std::string types;
  const std::uint32_t count = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode type = child_by_field(ts_node_named_child(list, i), "type");
    if (!ts_node_is_null(type)) types += std::string(around.text_of(type)) + ",";
  }
  return types;
}

}  // namespace

DeclaredNames::DeclaredNames(const Grammar& grammar, std::string_view text, const TSNode& root,
                             std::string_view name)
    : types_(*grammar.scopes()),
      text_(text),
      name_(name),
      around_(types_, text),
      table_(types_, text, root),
      places_(find_places(grammar, text, root, name, kMaxPlaces)) {
  for (const NamePlace& place : places_) {
    if (place.role == NameRole::kFree)
      free_[place.path[scope_of_free(place)].id] = is_within(place, "global_statement");
  }
  declares_.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) declare(i);
  unite_members();
}

void DeclaredNames::add_use(std::size_t thing, const NamePlace& place, std::string doubt) {
  NameUse use{.range = place.range, .doubt = std::move(doubt)};
  use.declares = place.role == NameRole::kDeclaration || place.role == NameRole::kMemberDeclaration;
  if (place.is_shorthand) use.form = NameUse::Form::kShorthand;
  if (place.is_import) use.form = NameUse::Form::kImported;
  if (place.is_export) use.form = NameUse::Form::kExported;
  meanings_.things[thing].uses.push_back(std::move(use));
}

std::optional<std::size_t> DeclaredNames::member_of(std::string_view owner,
                                                    const NamePlace& place) const {
  if (owner.empty()) return std::nullopt;
  const auto member = members_.find({std::string(owner), place.is_callable});
  return member == members_.end() ? std::nullopt : std::optional(member->second);
}

std::optional<std::size_t> DeclaredNames::member_or_inherited(std::string_view owner,
                                                              const NamePlace& place) {
  if (const auto member = member_of(owner, place)) return member;
  if (members_.empty()) return std::nullopt;
  for (const std::string& type : table_.line_of(owner)) {
    if (const auto member = member_of(type, place)) return member;
  }
  return std::nullopt;
}

std::vector<std::size_t> DeclaredNames::members(bool is_callable) const {
  std::vector<std::size_t> found;
  for (const auto& [key, thing] : members_) {
    const bool is_new = std::ranges::find(found, thing) == found.end();  // see unite_members()
    if (key.second == is_callable && is_new) found.push_back(thing);
  }
  return found;
}

std::size_t DeclaredNames::scope_of_free(const NamePlace& place) const {
  std::size_t at = place.path.size() - 1;
  while (at > 0 && !is_function(place.path[at])) --at;
  return at;
}

// What a scope has in common with others: a C++ namespace is one wherever it is opened, and an
// unnamed one is part of what is around it, as is a block that is shared.
const void* DeclaredNames::scope_key(const NamePlace& place, std::size_t index) {
  if (is_shared_block(types_, place, index)) return place.path[0].id;
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

std::size_t DeclaredNames::thing_of_member(std::string_view owner, bool is_callable) {
  const auto [at, is_new] =
      members_.try_emplace({std::string(owner), is_callable}, meanings_.things.size());
  if (is_new) {
    meanings_.things.push_back({.kind = NamedThing::Kind::kMember,
                                .scope = {0, text_.size()},
                                .owner = std::string(owner)});
  }
  return at->second;
}

// Whether the member that `place` declares is no method, in a language where only those override.
bool DeclaredNames::hides(const NamePlace& place) const {
  if (!has_word(types_.hiding, type_of(place.path[place.declaring]))) return false;
  return std::none_of(place.path.begin() + static_cast<std::ptrdiff_t>(place.declaring),
                      place.path.end(),
                      [](const TSNode& node) { return type_of(node) == "function_declarator"; });
}

// Whether other files may declare the same thing again, and have to name it alike: what stands in a
// shared block, and the members and type parameters of types there.
bool DeclaredNames::is_declared_for_all(const NamePlace& place) const {
  for (std::size_t i = 1; i <= place.scope; ++i) {
    if (!is_shared_block(types_, place, i)) continue;
    return place.scope == i || is_type(place.path[place.scope]);
  }
  return false;
}

// A method and those that override it are one.
void DeclaredNames::unite_members() {
  for (const auto& [thing, trait] : traits_) {
    const bool is_of_file = members_.contains({std::string(trait), false});
    if (!is_of_file) meanings_.things[thing].overrides = true;
  }
  const auto is_based_on = [&](const std::string& type, const std::string& other) {
    if (has_name(bases_[type], other)) return true;
    const std::vector<std::string> line = table_.line_of(type);
    return std::ranges::find(line, other) != line.end();
  };
  for (auto& [key, thing] : members_) {
    for (const auto& [other, other_thing] : members_) {
      if (other.second != key.second || thing == other_thing || hiding_.contains(thing)) continue;
      if (!is_based_on(key.first, other.first)) continue;
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

void DeclaredNames::replace_thing(std::size_t gone, std::size_t by) {
  if (const auto construction = constructed_.extract(gone); !construction.empty())
    constructed_[by] = std::max(constructed_[by], construction.mapped());
  for (auto& [key, thing] : members_) {
    if (thing == gone) thing = by;
  }
  for (auto& [scope, all] : declared_) {
    for (Declared& declared : all) {
      if (declared.thing == gone) declared.thing = by;
    }
  }
}

void DeclaredNames::declare(std::size_t index) {
  const NamePlace& place = places_[index];
  if (place.role == NameRole::kMember) return declare_by_assignment(place);
  const bool is_in_type = place.role == NameRole::kMemberDeclaration;
  if (place.role != NameRole::kDeclaration && !is_in_type) return;
  if (free_.contains(place.path[place.scope].id)) return;  // it is declared further outside
  const TSNode& scope = place.path[place.scope];
  const TSNode& declaring = place.path[place.declaring];
  const bool is_parameter_of_type = type_of(declaring).find("type_parameter") != std::string::npos;
  std::string_view owner =
      is_type(scope) ? around_.name_of(place, place.scope) : std::string_view();
  if (is_in_type && type_of(declaring) == "method_declaration" && owner.empty())
    owner = around_.type_of_method(declaring);
  if (place.is_member_parameter) owner = around_.type_of(place);
  const bool is_of_type =
      is_type(scope) && !is_parameter_of_type && (!place.is_parameter || types_.components.empty());
  const bool is_member =
      is_in_type || is_of_type || is_component(place) || place.is_member_parameter;
  if (is_member && owner == name_) return;  // a constructor
  const std::optional<std::size_t> component = component_of_constructor(place);
  const std::size_t thing = component   ? *component
                            : is_member ? declare_member(place, owner)
                                        : thing_in(place);
  NamedThing& named = meanings_.things[thing];
  if (types_.bare_members && is_function(declaring)) ++named.n_functions;
  named.is_shared = named.is_shared || is_declared_for_all(place);
  if (is_member && hides(place)) hiding_.insert(thing);
  add_use(thing, place);
  declares_[index] = thing;
  Declared declared{.thing = thing,
                    .known_in = known_range(types_, text_, place),
                    .is_type = place.is_type || place.is_import || names_type(declaring),
                    .is_callable = place.is_callable,
                    .is_member = is_member && !place.is_member_parameter};
  std::vector<Declared>& known = declared_[scope_key(place, place.scope)];
  known.push_back(declared);
  if (!is_component(place) || types_.callables.empty()) return;
  members_.try_emplace({std::string(owner), true}, thing);  // Java's accessor
  declared.is_callable = true;
  known.push_back(declared);
}

std::size_t DeclaredNames::declare_member(const NamePlace& place, std::string_view owner) {
  const TSNode& scope = place.path[place.scope];
  const std::size_t thing = thing_of_member(owner, place.is_callable);
  const Construction construction =
      place.is_parameter ? Construction::kCertain : construction_of(place, owner);
  if (construction != Construction::kNone)
    constructed_[thing] = std::max(constructed_[thing], construction);
  if (has_word(types_.structural_types, type_of(scope))) structural_.insert(thing);
  if (has_word(types_.interfaces, type_of(place.path[place.declaring])))
    meanings_.things[thing].is_of_interface = true;
  read_trait(scope, thing, std::string(owner));
  bases_[std::string(owner)] += std::string(around_.bases_of(place));
  return thing;
}

// Whether it is a parameter of a type whose parameters are members: `record P(int x)`.
bool DeclaredNames::is_component(const NamePlace& place) const {
  return place.is_parameter && has_word(types_.components, type_of(place.path[place.scope]));
}

// The parameters of Java's canonical constructor have the names of the components.
std::optional<std::size_t> DeclaredNames::component_of_constructor(const NamePlace& place) const {
  if (!place.is_parameter || place.scope < 2 || types_.components.empty()) return std::nullopt;
  const TSNode& function = place.path[place.scope];
  const TSNode& type = place.path[place.scope - 2];
  if (type_of(function) != "constructor_declaration" || !has_word(types_.components, type_of(type)))
    return std::nullopt;
  const auto list_of = [](const TSNode& node) { return child_by_field(node, "parameters"); };
  if (parameter_types(list_of(function), around_) != parameter_types(list_of(type), around_))
    return std::nullopt;
  const auto member = members_.find({std::string(around_.name_of(place, place.scope - 2)), false});
  return member == members_.end() ? std::nullopt : std::optional(member->second);
}

// Whether the type of a member takes it as an argument: Python's dataclasses, Swift's structures.
DeclaredNames::Construction DeclaredNames::construction_of(const NamePlace& place,
                                                           std::string_view owner) {
  if (!types_.field_kinds.empty()) {
    const TSNode kind = child_by_field(place.path[place.scope], "declaration_kind");
    const bool takes = !ts_node_is_null(kind) &&
                       type_of(place.path[place.declaring]) == "pattern" &&
                       has_word(types_.field_kinds, around_.text_of(kind));
    const TypeFacts* const facts = takes ? table_.find(owner) : nullptr;
    return facts == nullptr || facts->has_constructor ? Construction::kNone
                                                      : Construction::kCertain;
  }
  if (types_.field_bases.empty() || type_of(place.path[place.declaring]) != "assignment")
    return Construction::kNone;
  for (const std::string& type : table_.line_of(owner)) {
    const TypeFacts& facts = *table_.find(type);
    const auto is_any = [](std::string_view words, const std::string& text) {
      bool found = false;
      for_each_name(text, [&](std::string_view name) { found = found || has_word(words, name); });
      return found;
    };
    if (is_any(types_.keyed_bases, facts.bases)) {
      // Its keys are texts.
      const auto member = members_.find({std::string(owner), false});
      if (member != members_.end()) meanings_.things[member->second].is_key = true;
    }
    if (is_any(types_.field_decorators, facts.decorators) ||
        is_any(types_.field_bases, facts.bases))
      return Construction::kCertain;
    if (facts.has_constructor) return Construction::kNone;
  }
  return Construction::kPerhaps;
}

// Rust: a trait's implementation has what the trait has.
void DeclaredNames::read_trait(const TSNode& scope, std::size_t thing, const std::string& owner) {
  const TSNode trait = child_by_field(scope, "trait");
  if (ts_node_is_null(trait)) return;
  const std::string_view name = EnclosingTypes::bare_type(around_.text_of(trait));
  bases_[owner] += " " + std::string(name);
  traits_.emplace_back(thing, name);
}

// The local, parameter or outermost thing that `place` declares, which its scope may have already.
std::size_t DeclaredNames::thing_in(const NamePlace& place) {
  for (const Declared& declared : declared_[scope_key(place, place.scope)]) {
    if (!declared.is_member && declared.is_callable == place.is_callable) return declared.thing;
  }
  NamedThing thing{.kind = NamedThing::Kind::kVariable, .scope = range_of(place.path[place.scope])};
  const bool is_outermost = place.scope == 0 ||
                            type_of(place.path[place.scope]) == "namespace_definition" ||
                            is_shared_block(types_, place, place.scope);
  if (is_outermost) {
    thing.kind = NamedThing::Kind::kOfFile;
    thing.scope = {0, text_.size()};
  }
  if (place.is_parameter) {
    thing.kind = NamedThing::Kind::kParameter;
    thing.owner = std::string(around_.function_of(place));
    method_types_[meanings_.things.size()] = around_.type_of_function(place, place.scope);
  }
  if (place.is_import) thing.kind = NamedThing::Kind::kImport;
  meanings_.things.push_back(std::move(thing));
  return meanings_.things.size() - 1;
}

// Python's and JavaScript's "self.name = 1".
void DeclaredNames::declare_by_assignment(const NamePlace& place) {
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

Resolved DeclaredNames::resolve(const NamePlace& place) {
  Resolved resolved;
  bool crossed_function = false;  // a member of a type around it is not known by its name alone
  bool is_outside_next = false;   // of the next function or type: the place is in its head
  for (std::size_t i = place.path.size(); i-- > 0;) {
    const TSNode& node = place.path[i];
    if (is_outside_next && (is_function(node) || is_type(node))) {
      is_outside_next = false;
    } else {
      look_up(place, i, crossed_function, resolved);
      crossed_function = crossed_function || is_function(node) ||
                         (!types_.bare_members && has_word(types_.blocks, type_of(node)));
    }
    if (resolved.thing) return resolved;
    if (i > 1 && is_taken_from_root(node)) {
      i = 1;  // the root is next
    } else if (i > 1 && is_first_outside(types_, place, i)) {
      --i;
      --i;  // it does not belong to the block around
    } else if (i > 0 && is_at(types_.outside, place, i)) {
      is_outside_next = true;
    }
  }
  return resolved;
}

// Looks the name up in the scope of path[index]; if that is a method outside of its type, also
// among the members of the type.
void DeclaredNames::look_up(const NamePlace& place, std::size_t index, bool crossed_function,
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

bool DeclaredNames::may_mean(const NamePlace& place, const Declared& declared,
                             bool crossed_function) const {
  if (!declared.known_in.contains(place.range.begin)) return false;
  if (declared.is_member && crossed_function && !types_.bare_members) return false;
  return declared.is_callable == place.is_callable || declared.is_type;
}

// Whether a function takes the name from the outermost level: Python's `global name`.
bool DeclaredNames::is_taken_from_root(const TSNode& function) const {
  const auto free = free_.find(function.id);
  return free != free_.end() && free->second;
}

}  // namespace redraft
