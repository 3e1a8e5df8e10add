#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/tree_cursor.h"
#include "languages/scope_types.h"

namespace redraft {

// What a name is at one place, by the nodes around it alone.
enum class NameRole : std::uint8_t {
  kReference,
  kDeclaration,
  kMember,             // after a dot
  kMemberDeclaration,  // of the type around
  kQualified,          // after "::"
  kArgument,           // of a call: f(name=1)
  kField,              // of a literal or a pattern: T{name: 1}
  kFree,               // `global name`
  kOther,              // a label, a key
  kUnsure,
  kComment,
  kText,  // a string that is the name and nothing else, or a path with the name
  kRaw,   // within a token that is no name: a macro's text
};

struct NamePlace {
  ByteRange range;
  std::vector<TSNode> path;              // from the root to the node that is or has the name
  std::vector<std::string_view> fields;  // by which each node's parent holds it; may be empty
  NameRole role = NameRole::kReference;
  std::size_t scope = 0;  // of a declaration, the node that it declares the name in: path[scope]
  std::size_t declaring = 0;  // of a declaration, the node whose child it is: path[declaring]
  bool is_parameter = false;
  bool is_member_parameter = false;  // ScopeTypes::member_parameters
  bool is_import = false;
  bool is_export = false;  // ScopeTypes::exports
  bool is_shorthand = false;
  bool is_callable = false;                               // ScopeTypes::callables
  bool is_type = false;                                   // a place where only types are named
  NameInText::Form text_form = NameInText::Form::kWhole;  // with kText
};

// Whether path[index] is at one of `places`, see ScopeTypes. index > 0.
bool is_at(std::string_view places, const NamePlace& place, std::size_t index);

// Whether one of the nodes of the path has one of these types.
bool is_in_any(std::string_view types, const NamePlace& place);
// Whether path[index] is at ScopeTypes::first_outside.
bool is_first_outside(const ScopeTypes& types, const NamePlace& place, std::size_t index);

// Whether path[index] is a block at ScopeTypes::shared_blocks.
bool is_shared_block(const ScopeTypes& types, const NamePlace& place, std::size_t index);

// The name of an argument in a call, by ScopeTypes::arguments; null: it has none.
TSNode argument_name(std::string_view places, const TSNode& argument);

// Where `name` stands by itself, ascending, in at most `max_places`, else none.
std::vector<NamePlace> find_places(const Grammar& grammar, std::string_view text,
                                   const TSNode& root, std::string_view name,
                                   std::size_t max_places);

// Where the name that `place` declares is known by its name alone, unless an inner scope declares
// it, too.
ByteRange known_range(const ScopeTypes& types, std::string_view text, const NamePlace& place);

// The expression that path[index] is a member of: "self" of "self.x".
std::string_view receiver_of(std::string_view text, const NamePlace& place);

}  // namespace redraft
