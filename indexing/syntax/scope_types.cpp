#include "indexing/syntax/scope_types.h"

#include <algorithm>
#include <iterator>

namespace redraft {
namespace {

constexpr ScopeTypes kPython{
    .language = "python",
    .functions = "function_definition lambda",
    .blocks = "list_comprehension set_comprehension dictionary_comprehension generator_expression",
    .types = "class_definition",
    .here = "for_in_clause.left",
    .around = "function_definition.name class_definition.name",
    .in_function =
        "assignment.left augmented_assignment.left for_statement.left as_pattern_target "
        "named_expression.name aliased_import.alias type_alias_statement.left",
    .parameters = "parameters lambda_parameters",
    .patterns =
        "pattern_list tuple_pattern list_pattern tuple list list_splat_pattern "
        "dictionary_splat_pattern default_parameter.name typed_default_parameter.name "
        "typed_parameter dotted_name",
    .parameter_lists = "parameters lambda_parameters",
    .members = "attribute.attribute",
    .keys = "import_from_statement.module_name aliased_import.name dotted_name+",
    .arguments = "keyword_argument.name",
    .imports = "import_statement.name import_from_statement.name",
    .outside =
        "function_definition.return_type class_definition.superclasses "
        "default_parameter.value typed_default_parameter.value typed_default_parameter.type "
        "typed_parameter.type",
    .unsure = "case_pattern exec_statement print_statement",
    .free = "global_statement nonlocal_statement",
    .own = "self cls super()"};

constexpr std::string_view kScriptFunctions =
    "function_declaration function_expression arrow_function method_definition "
    "generator_function generator_function_declaration function_signature method_signature "
    "abstract_method_signature class_static_block function_type constructor_type call_signature "
    "construct_signature";
constexpr std::string_view kScriptBlocks =
    "statement_block for_statement for_in_statement catch_clause switch_body "
    "type_alias_declaration";
constexpr std::string_view kScriptTypes =
    "class_declaration class abstract_class_declaration interface_declaration enum_declaration";
constexpr std::string_view kScriptHere =
    "variable_declarator.name for_in_statement.left?kind catch_clause.parameter "
    "function_expression.name generator_function.name class.name type_parameter.name";
constexpr std::string_view kScriptAround =
    "function_declaration.name generator_function_declaration.name class_declaration.name "
    "abstract_class_declaration.name interface_declaration.name type_alias_declaration.name "
    "enum_declaration.name function_signature.name internal_module.name module.name "
    "import_clause namespace_import import_specifier.alias";
constexpr std::string_view kScriptPatterns =
    "object_pattern array_pattern pair_pattern.value assignment_pattern.left "
    "object_assignment_pattern.left rest_pattern required_parameter.pattern "
    "optional_parameter.pattern";
constexpr std::string_view kScriptMembers =
    "method_definition.name field_definition.property public_field_definition.name "
    "property_signature.name method_signature.name abstract_method_signature.name "
    "enum_body.name enum_assignment.name";
constexpr std::string_view kScriptKeys =
    "statement_identifier property_identifier import_specifier.name?alias export_specifier.alias "
    "nested_type_identifier.name nested_identifier.property jsx_attribute";

constexpr ScopeTypes script(std::string_view language) {
  return {.language = language,
          .functions = kScriptFunctions,
          .blocks = kScriptBlocks,
          .types = kScriptTypes,
          .here = kScriptHere,
          .around = kScriptAround,
          .parameters = "formal_parameters arrow_function.parameter",
          .patterns = kScriptPatterns,
          .parameter_lists = "formal_parameters",
          .member_declarations = kScriptMembers,
          .members = "member_expression.property",
          .keys = kScriptKeys,
          .shorthand = "shorthand_property_identifier shorthand_property_identifier_pattern",
          .imports = "import_specifier.name",
          .exports = "export_specifier.name?!alias",
          .unsure = "with_statement",
          .unsure_places =
              "required_parameter.pattern?accessibility_modifier "
              "required_parameter.pattern?readonly "
              "optional_parameter.pattern?accessibility_modifier "
              "optional_parameter.pattern?readonly",
          .hoisting = "variable_declaration",
          .own = "this super"};
}
constexpr ScopeTypes kJavaScript = script("javascript");
constexpr ScopeTypes with_structural_types(ScopeTypes types) {
  types.fields = "pair.key";
  types.structural_types = "interface_declaration";
  return types;
}
constexpr ScopeTypes kTypeScript = with_structural_types(script("typescript"));
constexpr ScopeTypes kTsx = with_structural_types(script("typescriptreact"));

constexpr std::string_view kCDeclarators =
    "pointer_declarator.declarator array_declarator.declarator function_declarator.declarator "
    "init_declarator.declarator parenthesized_declarator reference_declarator variadic_declarator "
    "structured_binding_declarator attributed_declarator";
constexpr std::string_view kCParameters =
    "parameter_declaration.declarator optional_parameter_declaration.declarator "
    "variadic_parameter_declaration.declarator";
constexpr std::string_view kCParameterLists =
    "parameter_declaration optional_parameter_declaration variadic_parameter_declaration "
    "parameter_list function_declarator abstract_function_declarator pointer_declarator "
    "reference_declarator parenthesized_declarator";

constexpr ScopeTypes kC{.language = "c",
                        .functions = "function_definition",
                        .blocks = "compound_statement for_statement preproc_function_def",
                        .types = "struct_specifier union_specifier",
                        .here =
                            "declaration.declarator type_definition.declarator "
                            "enum_specifier.name?body enumerator.name",
                        .around =
                            "function_definition.declarator struct_specifier.name?body "
                            "union_specifier.name?body preproc_def.name "
                            "preproc_function_def.name",
                        .parameters = kCParameters,
                        .patterns = kCDeclarators,
                        .parameter_lists = kCParameterLists,
                        .member_declarations = "field_declaration.declarator",
                        .members = "field_expression.field",
                        .keys = "statement_identifier preproc_params",
                        .fields = "field_designator",
                        .known_from = KnownFrom::kName,
                        .separate_types = true};

constexpr std::string_view kCppParameters =
    "parameter_declaration.declarator optional_parameter_declaration.declarator "
    "variadic_parameter_declaration.declarator type_parameter_declaration "
    "variadic_type_parameter_declaration optional_type_parameter_declaration.name";
constexpr std::string_view kCppParameterLists =
    "parameter_declaration optional_parameter_declaration variadic_parameter_declaration "
    "parameter_list function_declarator abstract_function_declarator pointer_declarator "
    "reference_declarator parenthesized_declarator type_parameter_declaration "
    "variadic_type_parameter_declaration optional_type_parameter_declaration "
    "template_parameter_list template_declaration";

constexpr ScopeTypes kCpp{
    .language = "cpp",
    .functions = "function_definition lambda_expression",
    .blocks =
        "compound_statement for_statement for_range_loop if_statement while_statement "
        "switch_statement catch_clause namespace_definition preproc_function_def "
        "requires_expression",
    .types = "class_specifier struct_specifier union_specifier",
    .here =
        "declaration.declarator type_definition.declarator for_range_loop.declarator "
        "enum_specifier.name?body enumerator.name lambda_capture_initializer.left "
        "alias_declaration.name",
    .around =
        "function_definition.declarator class_specifier.name?body "
        "struct_specifier.name?body union_specifier.name?body preproc_def.name "
        "preproc_function_def.name namespace_definition.name",
    .parameters = kCppParameters,
    .patterns = kCDeclarators,
    .parameter_lists = kCppParameterLists,
    .member_declarations = "field_declaration.declarator",
    .members = "field_expression.field field_initializer",
    .qualified = "qualified_identifier.name",
    .keys = "statement_identifier preproc_params",
    .fields = "field_designator",
    .unsure = "using_declaration friend_declaration",
    .type_places = "qualified_identifier.scope",
    .own = "this",
    .known_from = KnownFrom::kName,
    .bare_members = true,
    .separate_types = true};

constexpr ScopeTypes kJava{
    .language = "java",
    .functions =
        "method_declaration constructor_declaration compact_constructor_declaration "
        "lambda_expression static_initializer",
    .blocks =
        "block constructor_body for_statement enhanced_for_statement catch_clause "
        "try_with_resources_statement switch_block switch_block_statement_group switch_rule "
        "class_declaration interface_declaration enum_declaration record_declaration",
    .types = "class_body interface_body enum_body annotation_type_body",
    .here =
        "variable_declarator.name enhanced_for_statement.name resource.name "
        "instanceof_expression.name type_pattern+ type_parameter catch_formal_parameter.name",
    .around =
        "class_declaration.name interface_declaration.name enum_declaration.name "
        "record_declaration.name annotation_type_declaration.name",
    .parameters = "formal_parameter.name inferred_parameters lambda_expression.parameters",
    .patterns = "",
    .parameter_lists = "formal_parameter formal_parameters inferred_parameters",
    .member_declarations = "method_declaration.name enum_constant.name",
    .members = "field_access.field method_invocation.name?object method_reference+",
    .keys =
        "scoped_identifier+ scoped_type_identifier+ labeled_statement break_statement "
        "continue_statement element_value_pair.key",
    .apart = "package_declaration import_declaration",
    .callables = "method_invocation.name method_declaration.name method_reference+",
    .own = "this super",
    .known_from = KnownFrom::kName,
    .bare_members = true,
    .separate_types = true};

constexpr ScopeTypes kCSharp{
    .language = "csharp",
    .functions =
        "method_declaration constructor_declaration destructor_declaration "
        "operator_declaration conversion_operator_declaration lambda_expression "
        "anonymous_method_expression local_function_statement indexer_declaration "
        "accessor_declaration",
    .blocks =
        "block for_statement foreach_statement catch_clause using_statement "
        "switch_section switch_expression_arm query_expression",
    .types =
        "class_declaration struct_declaration record_declaration interface_declaration "
        "enum_declaration",
    .here =
        "variable_declarator.name foreach_statement.left catch_declaration.name "
        "declaration_pattern.name declaration_expression.name type_parameter.name "
        "from_clause.name",
    .around =
        "class_declaration.name struct_declaration.name record_declaration.name "
        "interface_declaration.name enum_declaration.name delegate_declaration.name "
        "local_function_statement.name",
    .parameters = "parameter.name lambda_expression.parameters parameter_list.name",
    .patterns = "tuple_pattern.name",
    .parameter_lists = "parameter parameter_list",
    .member_declarations =
        "method_declaration.name property_declaration.name "
        "event_declaration.name enum_member_declaration.name",
    .members = "member_access_expression.name member_binding_expression.name",
    .keys =
        "qualified_name+ attribute.name attribute_argument.name labeled_statement "
        "goto_statement name_colon namespace_declaration.name "
        "file_scoped_namespace_declaration.name",
    .apart = "using_directive",
    .arguments = "argument.name",
    .unsure = "initializer_expression query_expression",
    .type_places =
        "variable_declaration.type parameter.type property_declaration.type "
        "method_declaration.returns local_function_statement.type object_creation_expression.type "
        "cast_expression.type declaration_pattern.type declaration_expression.type "
        "foreach_statement.type catch_declaration.type type_argument_list base_list "
        "array_type.type nullable_type.type type_parameter_constraint.type typeof_expression.type "
        "parameter_list.type",
    .own = "this base",
    .known_from = KnownFrom::kName,
    .bare_members = true};

constexpr ScopeTypes kGo{
    .language = "go",
    .functions = "function_declaration method_declaration func_literal",
    .blocks =
        "block if_statement for_statement expression_switch_statement "
        "type_switch_statement select_statement expression_case default_case "
        "communication_case type_case",
    .types = "type_spec",
    .here =
        "short_var_declaration.left range_clause.left var_spec.name const_spec.name "
        "type_alias.name receive_statement.left type_switch_statement.alias "
        "type_parameter_declaration.name import_spec.name",
    .around = "function_declaration.name type_spec.name",
    .parameters = "parameter_declaration.name variadic_parameter_declaration.name",
    .patterns = "expression_list",
    .parameter_lists = "parameter_declaration variadic_parameter_declaration parameter_list",
    .member_declarations = "field_declaration.name method_declaration.name method_elem.name",
    .members = "selector_expression.field",
    .keys = "label_name qualified_type.name",
    .apart = "package_clause",
    .fields = "literal_element",
    .known_from = KnownFrom::kStatement,
    .separate_types = true};

constexpr ScopeTypes kRust{
    .language = "rust",
    .functions = "function_item closure_expression function_signature_item",
    .blocks = "block if_expression while_expression for_expression match_arm mod_item",
    .types = "impl_item trait_item struct_item enum_item union_item",
    .here =
        "let_declaration.pattern let_condition.pattern for_expression.pattern "
        "match_pattern const_item.name static_item.name type_item.name type_parameter.name",
    .around =
        "function_item.name function_signature_item.name struct_item.name enum_item.name "
        "union_item.name trait_item.name mod_item.name macro_definition.name "
        "use_as_clause.alias",
    .parameters = "parameter.pattern closure_parameters",
    .patterns =
        "tuple_pattern tuple_struct_pattern struct_pattern field_pattern.pattern "
        "field_pattern.name?!pattern reference_pattern ref_pattern mut_pattern captured_pattern "
        "slice_pattern or_pattern",
    .parameter_lists = "parameter parameters closure_parameters",
    .member_declarations = "field_declaration.name enum_variant.name",
    .members = "field_expression.field",
    .qualified = "scoped_identifier.name scoped_type_identifier.name",
    .keys = "label",
    .apart = "use_declaration",
    .fields = "field_initializer.field field_pattern.name?pattern",
    .shorthand = "shorthand_field_initializer shorthand_field_identifier",
    .unsure = "macro_rule",
    .type_places = "scoped_identifier.path scoped_type_identifier.path",
    .own = "self Self",
    .known_from = KnownFrom::kStatement,
    .separate_types = true};

constexpr const ScopeTypes* kAll[] = {&kPython, &kJavaScript, &kTypeScript, &kTsx, &kC,
                                      &kCpp,    &kJava,       &kCSharp,     &kGo,  &kRust};

}  // namespace

const ScopeTypes* find_scope_types(std::string_view language) {
  const auto* const found =
      std::ranges::find(kAll, language, [](const ScopeTypes* types) { return types->language; });
  return found == std::end(kAll) ? nullptr : *found;
}

}  // namespace redraft
