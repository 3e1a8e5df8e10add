// What C and C++ have in common.
#pragma once

#include <string_view>

namespace redraft {

inline constexpr std::string_view kCDeclarators =
    "pointer_declarator.declarator array_declarator.declarator function_declarator.declarator "
    "init_declarator.declarator parenthesized_declarator reference_declarator variadic_declarator "
    "structured_binding_declarator attributed_declarator";
inline constexpr std::string_view kCParameters =
    "parameter_declaration.declarator optional_parameter_declaration.declarator "
    "variadic_parameter_declaration.declarator";
inline constexpr std::string_view kCParameterLists =
    "parameter_declaration optional_parameter_declaration variadic_parameter_declaration "
    "parameter_list function_declarator abstract_function_declarator pointer_declarator "
    "reference_declarator parenthesized_declarator";

inline constexpr std::string_view kCSequences =
    "translation_unit declaration_list field_declaration_list enumerator_list compound_statement "
    "case_statement initializer_list preproc_if preproc_ifdef preproc_else preproc_elif";

}  // namespace redraft
