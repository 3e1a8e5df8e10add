#pragma once

#include <string_view>

#include "indexing/syntax/name_places.h"

namespace redraft {

// In which types and methods places of a text are. Views into the text.
class EnclosingTypes {
 public:
  EnclosingTypes(const ScopeTypes& types, std::string_view text) : types_(types), text_(text) {}

  std::string_view text_of(const TSNode& node) const;

  // "K" of "a::K<T>", "*K" and "[K]".
  static std::string_view bare_type(std::string_view type);

  // The name of the type that path[index] is (a part of); empty: it has none.
  std::string_view name_of(const NamePlace& place, std::size_t index) const;
  // The type whose method `function` is, if it does not stand in that type: Go's receiver, C++'s
  // "void K::f() {}". Empty: none.
  std::string_view type_of_method(const TSNode& function) const;
  // The type that the function path[index] is a method of; empty: of none.
  std::string_view type_of_function(const NamePlace& place, std::size_t index) const;
  // The innermost type in which, or in whose method, the place is; empty: in none.
  std::string_view type_of(const NamePlace& place) const;
  // What that type is based on, as it is written: "(A, B)", ": public A".
  std::string_view bases_of(const NamePlace& place) const;
  // The text of the first child that has one of `types`; empty: none has.
  std::string_view text_of_child(const TSNode& node, std::string_view types) const;
  // The name of the function that a parameter belongs to; of a constructor its type's.
  std::string_view function_of(const NamePlace& parameter) const;
  // What the call around an argument calls, or the type that it constructs; may be null.
  TSNode callee_of(const NamePlace& argument) const;
  // Whether `name` is what the method around, in Go, calls the object that it belongs to.
  bool is_receiver(std::string_view name, const NamePlace& place) const;

 private:
  bool is_function(const TSNode& node) const;
  bool is_type(const TSNode& node) const;

  const ScopeTypes& types_;
  std::string_view text_;
};

// Whether a node that declares a name declares that of a type.
bool names_type(const TSNode& declaring);

}  // namespace redraft
