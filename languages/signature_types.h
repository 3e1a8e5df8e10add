#pragma once

#include <string_view>

namespace redraft {

// How a language calls functions.
struct CallStyle {
  // Stands between the name of an argument and its value; empty: arguments have no names.
  std::string_view name_mark = {};
  // A call may omit any argument.
  bool may_lack = false;
  // A call names every argument whose parameter has a label, in the order of the parameters.
  bool has_labels = false;
  // A call without a receiver passes the object of a method as its first argument.
  bool passes_object = false;
};

// tree-sitter's names for parameters and arguments, in one language. Each list is words, separated
// by spaces; a place is "type.field" as in ScopeTypes. A parameter with a "=" is optional, and one
// that is called "this" is the object that the function belongs to.
struct SignatureTypes {
  // Nodes that are lists of parameters, of functions that have a name, and of arguments; or
  // functions and calls that have these between brackets of their own.
  std::string_view parameter_lists = {}, argument_lists = {};
  // Nodes that are parameters, or in them; `rest` may be the type of one.
  std::string_view optional = {}, rest = {}, named_rest = {}, receivers = {};
  // What is between parameters, and makes those before it unnamed, those behind it named.
  std::string_view by_place_before = {}, by_name_behind = {};
  // Tokens at the end of a parameter, and words in `attributes` before it, that make it take all
  // further arguments.
  std::string_view rest_marks = {};
  // Nodes whose "name" children are a parameter each.
  std::string_view several = {};
  // Functions that are called by the name of their type: names, or nodes.
  std::string_view constructors = {};
  // Where a call has what it calls, and where that has its name.
  std::string_view calls = {}, callee_parts = {};
  // Nodes that are arguments behind the brackets of a call.
  std::string_view blocks = {};
  // Arguments that are several.
  std::string_view spreads = {};
  // For functions that return several values: the field of their results, and the nodes whose
  // fields "left" and "right" take them.
  std::string_view results = {}, takers = {};
  // Nodes that may have effects, in addition to calls and the like.
  std::string_view effects = {};
  // Nodes in a list of parameters that are not parameters, in addition to comments.
  std::string_view attributes = {};
  // The first parameter of a method is its object, unless it is static.
  bool has_explicit_self = false;
  // Functions of one name may differ in their parameters.
  bool has_overloads = false;
  CallStyle style = {};
};

}  // namespace redraft
