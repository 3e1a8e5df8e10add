// Where a name is declared in a text, and to which declaration a place refers
//
// 1. find_places() goes through the text for the name and tells from the nodes around each place
//    what it is there: a declaration, a reference, a member after a dot, ... (ScopeTypes).
// 2. Each declaration makes a NamedThing, known in its scope: a function, a block, a type, the
//    file. Members are things of their type, wherever that is continued; methods that override
//    each other are one.
// 3. resolve() goes outwards from a place to the innermost scope that knows the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexing/syntax/enclosing_types.h"
#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/name_places.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/type_table.h"

namespace redraft {

// What a name at a place refers to.
struct Resolved {
  std::optional<std::size_t> thing;
  // Whether the scopes that were searched know the name as something that is not a type, although
  // the place names a type.
  bool skips_non_type = false;
};

class DeclaredNames {
 public:
  DeclaredNames(const Grammar& grammar, std::string_view text, const TSNode& root,
                std::string_view name);

  const std::vector<NamePlace>& places() const { return places_; }
  // The thing that places()[index] declares.
  std::optional<std::size_t> declared_by(std::size_t index) const { return declares_[index]; }
  // What the place refers to by its name alone.
  Resolved resolve(const NamePlace& place);

 protected:
  // One thing as known in one scope. A member is known in each part of its type.
  struct Declared {
    std::size_t thing = 0;
    ByteRange known_in;
    bool is_type = false;  // or may be one
    bool is_callable = false;
    bool is_member = false;
  };
  // How the type of a member is constructed with the member as an argument: `P(name=1)`.
  enum class Construction : std::uint8_t { kNone, kPerhaps, kCertain };

  bool is_function(const TSNode& node) const { return has_word(types_.functions, type_of(node)); }
  bool is_type(const TSNode& node) const { return has_word(types_.types, type_of(node)); }

  void add_use(std::size_t thing, const NamePlace& place, std::string doubt = {});
  // nullopt: the type has no such member, or `owner` is empty.
  std::optional<std::size_t> member_of(std::string_view owner, const NamePlace& place) const;
  // The same, also for members of what the type is based on.
  std::optional<std::size_t> member_or_inherited(std::string_view owner, const NamePlace& place);
  // The members that the name of a receiver's type could mean.
  std::vector<std::size_t> members(bool is_callable) const;

  const ScopeTypes& types_;
  std::string_view text_;
  std::string_view name_;
  EnclosingTypes around_;
  TypeTable table_;
  std::vector<NamePlace> places_;
  std::vector<std::optional<std::size_t>> declares_;             // [place]
  std::map<std::pair<std::string, bool>, std::size_t> members_;  // by type, and if it is called
  std::set<std::size_t> structural_;                 // members of ScopeTypes::structural_types
  std::map<std::size_t, Construction> constructed_;  // members that construct their type
  std::set<std::size_t> united_;                     // members that are another's
  std::map<std::size_t, std::string> method_types_;  // of parameters: the method's type, or none
  NameMeanings meanings_;

 private:
  std::size_t scope_of_free(const NamePlace& place) const;
  const void* scope_key(const NamePlace& place, std::size_t index);
  std::size_t thing_of_member(std::string_view owner, bool is_callable);
  bool hides(const NamePlace& place) const;
  bool is_declared_for_all(const NamePlace& place) const;
  void unite_members();
  void replace_thing(std::size_t gone, std::size_t by);
  void declare(std::size_t index);
  std::size_t declare_member(const NamePlace& place, std::string_view owner);
  bool is_component(const NamePlace& place) const;
  std::optional<std::size_t> component_of_constructor(const NamePlace& place) const;
  Construction construction_of(const NamePlace& place, std::string_view owner);
  void read_trait(const TSNode& scope, std::size_t thing, const std::string& owner);
  std::size_t thing_in(const NamePlace& place);
  void declare_by_assignment(const NamePlace& place);
  void look_up(const NamePlace& place, std::size_t index, bool crossed_function,
               Resolved& resolved);
  bool may_mean(const NamePlace& place, const Declared& declared, bool crossed_function) const;
  bool is_taken_from_root(const TSNode& function) const;

  std::set<std::size_t> hiding_;                                  // members, by ScopeTypes::hiding
  std::map<std::string, const void*> namespaces_;                 // the first node of each
  std::map<const void*, std::vector<Declared>> declared_;         // by the scope's node
  std::vector<std::pair<std::size_t, std::string_view>> traits_;  // of members: see read_trait()
  std::map<std::string, std::string> bases_;  // what a type with such a member is based on
  // Functions that take the name from further outside, and if from the outermost level.
  std::map<const void*, bool> free_;
};

}  // namespace redraft
