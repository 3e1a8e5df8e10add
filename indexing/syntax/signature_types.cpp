#include "indexing/syntax/signature_types.h"

#include <algorithm>
#include <iterator>

namespace redraft {
namespace {

constexpr SignatureTypes kPython{.language = "python",
                                 .rest = "list_splat_pattern",
                                 .named_rest = "dictionary_splat_pattern",
                                 .by_place_before = "positional_separator",
                                 .by_name_behind = "keyword_separator list_splat_pattern",
                                 .constructors = "__init__",
                                 .calls = "call.function",
                                 .callee_parts = "attribute.attribute",
                                 .spreads = "list_splat dictionary_splat",
                                 .has_explicit_self = true,
                                 .style = {.name_mark = "="}};

constexpr SignatureTypes script(std::string_view language, bool may_lack) {
  return {.language = language,
          .optional = "optional_parameter",
          .rest = "rest_pattern",
          .constructors = "constructor",
          .calls = "call_expression.function new_expression.constructor",
          .callee_parts = "member_expression.property",
          .spreads = "spread_element",
          .style = {.may_lack = may_lack}};
}
constexpr SignatureTypes kJavaScript = script("javascript", true);
constexpr SignatureTypes kTypeScript = script("typescript", false);
constexpr SignatureTypes kTsx = script("typescriptreact", false);

constexpr SignatureTypes kC{
    .language = "c", .rest = "variadic_parameter", .calls = "call_expression.function"};

constexpr SignatureTypes kCpp{
    .language = "cpp",
    .rest = "variadic_parameter variadic_parameter_declaration variadic_declarator",
    .calls = "call_expression.function",
    .callee_parts =
        "field_expression.field qualified_identifier.name template_function.name "
        "template_method.name dependent_name",
    .spreads = "parameter_pack_expansion"};

constexpr SignatureTypes kJava{.language = "java",
                               .rest = "spread_parameter",
                               .receivers = "receiver_parameter",
                               .constructors = "constructor_declaration",
                               .calls = "method_invocation.name object_creation_expression.type",
                               .callee_parts = "generic_type"};

constexpr SignatureTypes kCSharp{
    .language = "csharp",
    .constructors = "constructor_declaration",
    .calls = "invocation_expression.function object_creation_expression.type",
    .callee_parts = "member_access_expression.name member_binding_expression.name generic_name",
    .style = {.name_mark = ": "}};

constexpr SignatureTypes kGo{.language = "go",
                             .rest = "variadic_parameter_declaration",
                             .several = "parameter_declaration",
                             .calls = "call_expression.function",
                             .callee_parts = "selector_expression.field",
                             .spreads = "variadic_argument"};

constexpr SignatureTypes kRust{
    .language = "rust",
    .rest = "variadic_parameter",
    .receivers = "self_parameter",
    .calls = "call_expression.function",
    .callee_parts = "field_expression.field scoped_identifier.name generic_function.function"};

constexpr const SignatureTypes* kAll[] = {&kPython, &kJavaScript, &kTypeScript, &kTsx, &kC,
                                          &kCpp,    &kJava,       &kCSharp,     &kGo,  &kRust};

}  // namespace

const SignatureTypes* find_signature_types(std::string_view language) {
  const auto* const found = std::ranges::find(
      kAll, language, [](const SignatureTypes* types) { return types->language; });
  return found == std::end(kAll) ? nullptr : *found;
}

}  // namespace redraft
