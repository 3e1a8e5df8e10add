#pragma once

#include <cstdint>
#include <string_view>

namespace redraft {

// From where on a name that is declared within a function is known.
enum class KnownFrom : std::uint8_t {
  kScope,      // the beginning of its scope: `def f(): print(a); a = 1` is one `a`
  kName,       // its own place: `int a = a;` is one `a`
  kStatement,  // the end of what declares it: `let a = a.trim();` are two
};

// tree-sitter's names for where names are declared and used, in one language. Each list is words,
// separated by spaces. Of a node: its type. Of a place: "type.field" for the child that the field
// holds, "type" for children that no field holds, "type+" for all but the first child that has a
// name, "type-" for that first one if no field holds it; "?field" is added if there has to be a
// child in another field, or of that type, "?!field" if there must not. "outer>" before it requires
// that the node stands in one of the type `outer`.
struct ScopeTypes {
  // Nodes with names of their own: functions, blocks within them, and types with members.
  std::string_view functions = {}, blocks = {}, types = {};
  // Places that declare a name: in the innermost scope around, in the one around that, in the
  // innermost function or type, and as a parameter. `patterns` may stand between.
  std::string_view here = {}, around = {}, in_function = {}, parameters = {}, patterns = {};
  // Places in the innermost scope that declare a name in lower case. Others are constants.
  std::string_view matched = {};
  // What may stand between a parameter and its function.
  std::string_view parameter_lists = {};
  std::string_view member_declarations = {};
  // Types whose parameters are members: records. And places of parameters that are members of the
  // type around.
  std::string_view components = {}, member_parameters = {};
  // Places of types that are members under their own name: Go's embedded types.
  std::string_view embedded = {};
  // Nodes that declare members which hide, and do not override, what a type is based on has by the
  // same name: fields, unless a function stands there.
  std::string_view hiding = {};
  // Places of blocks whose declarations belong to all files: TypeScript's "declare global {}".
  std::string_view shared_blocks = {};
  // Nodes that declare what types have to have that do not say so.
  std::string_view interfaces = {};
  // Places of names after a dot, and after "::" or the like.
  std::string_view members = {}, qualified = {};
  // Places, and types, of names that are something else: labels, keys of objects. And nodes that
  // tell only of what other files have.
  std::string_view keys = {}, apart = {};
  // Places of functions' names where a variable of that name is something else.
  std::string_view callables = {};
  // Of named arguments: `f(name=1)`.
  std::string_view arguments = {};
  // Nodes that construct the type that their first child names, and call no function.
  std::string_view constructions = {};
  // Of fields in a literal or a pattern of a type that it names.
  std::string_view fields = {};
  // Types whose members keys of any object may be.
  std::string_view structural_types = {};
  // Places and types of names that stand for a member and a variable: `{name}`.
  std::string_view shorthand = {};
  // Places of names that an import makes known, and can be given another one by "as".
  std::string_view imports = {};
  // Imports that make members of a type of this file known by their names alone.
  std::string_view member_imports = {};
  // Places of names that are given to other files, and can be given under another one by "as".
  std::string_view exports = {};
  // Of a scope what belongs to the one around it: a function's decorators, a parameter's default.
  std::string_view outside = {};
  // Parts of a block that belong to the scope around it if they stand in its first child of their
  // type: the first iterable of a comprehension.
  std::string_view first_outside = {};
  // Nodes in which, and places at which there is no telling what a name means.
  std::string_view unsure = {}, unsure_places = {};
  // Nodes in which, and places at which a name that nothing declares may well be right: attributes,
  // what macros are called, labels.
  std::string_view foreign = {};
  // Parts of a type's head that say what it has from other types, and those of them that say which
  // interfaces it implements.
  std::string_view base_nodes = {}, interface_nodes = {};
  // Statements that take a name from further outside: Python's `global`.
  std::string_view free = {};
  // Statements whose declarations go to the function: JavaScript's `var`.
  std::string_view hoisting = {};
  // Where only types are named, if their names are not nodes of a type of their own.
  std::string_view type_places = {};
  // The field that holds what a type is based on; empty: that stands between its name and its body.
  std::string_view bases = {};
  // What a method calls the object that it belongs to.
  std::string_view own = {};
  // Names that the language itself has, and that a file could hide from others.
  std::string_view predefined = {};
  // What may stand before a name, so that it may be a reserved word, and the words that it may not
  // be even then: Rust's "r#type".
  std::string_view name_mark = {}, never_marked = {};
  // The name of a type's constructor, if it differs from the type's name.
  std::string_view constructor = {};
  // Names in a type's bases and decorators that make its constructor take its fields. And bases
  // whose fields are keys of dictionaries.
  std::string_view field_bases = {}, field_decorators = {}, keyed_bases = {};
  // The same, by the word that declares the type: Swift's "struct", in "declaration_kind".
  std::string_view field_kinds = {};
  // Functions that take a type with other fields, or make one.
  std::string_view field_functions = {};
  // Functions that take the name of something as a text: getattr(o, "name"). And those that take a
  // path to it: patch("a.name").
  std::string_view name_finders = {}, path_finders = {};
  // Lists of texts that name what a file gives to others, and what a type has as members.
  std::string_view export_lists = {}, member_lists = {};
  // A text that is a path means what its last part names; an index names a member: o["name"].
  bool has_path_texts = false, has_member_texts = false;
  // Nodes in which a string is a type; generic types of which no argument is, and of which only the
  // first is; generic types with such arguments elsewhere, too; and functions with such arguments.
  std::string_view type_texts = {}, value_generics = {}, typed_values = {}, text_generics = {},
                   text_functions = {};
  // A member exists once a method assigns to it: Python's `self.name = 1`.
  bool has_assigned_members = false;
  KnownFrom known_from = KnownFrom::kScope;
  // Statements around what declares a name, which is known from their end on. And those whose heads
  // declare names between "let" and "=", each known from the end of its value on, but not behind an
  // "else".
  std::string_view statements = {}, conditions = {};
  // Loops whose names are known in their "body" alone, not in what they go over.
  std::string_view loops = {};
  // In a type's methods a member is known by its name alone.
  bool bare_members = false;
  // A variable may not have the name of one of the function around its block.
  bool has_unique_locals = false;
  // A string may have the value of a name behind "$", which is not a part of names.
  bool has_dollar_marks = false;
  // Such a name is no node of its own.
  bool has_dollar_names = false;
  // A "type_identifier" is never the name of a variable.
  bool separate_types = false;
};

}  // namespace redraft
