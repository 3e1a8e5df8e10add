// The types of expressions, as far as the text says them
//
// `p` of "p.size" has the type that its declaration names ("Box p"), or that its value constructs
// ("p = Box()"). What another function returns is not known.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "indexing/syntax/declared_names.h"

namespace redraft {

class ReceiverTypes {
 public:
  ReceiverTypes(const Grammar& grammar, std::string_view text, const TSNode& root)
      : grammar_(grammar),
        types_(*grammar.scopes()),
        text_(text),
        root_(root),
        around_(types_, text) {}

  // The type of what stands before the dot of a member; empty: it is not known.
  std::string_view of_receiver(const NamePlace& member) {
    return of_expression(receiver(member), 0);
  }
  // The type of what a pattern takes apart, or a literal makes: `{name}` in
  // "const {name} = new Box()" and "const box: Box = {name}".
  std::string_view of_pattern(const NamePlace& place);
  std::string_view of_expression(const TSNode& expression) { return of_expression(expression, 0); }

 private:
  static TSNode receiver(const NamePlace& member);
  std::string_view of_expression(TSNode expression, int depth);
  std::string_view of_name(const TSNode& identifier, int depth);
  std::string_view of_declaration(const NamePlace& place, int depth);
  std::string_view named_by(const TSNode& type) const;
  std::string_view text_of(const TSNode& node) const { return around_.text_of(node); }

  const Grammar& grammar_;
  const ScopeTypes& types_;
  std::string_view text_;
  TSNode root_;
  EnclosingTypes around_;
  std::map<std::string, std::unique_ptr<DeclaredNames>, std::less<>> names_;
};

}  // namespace redraft
