// What JavaScript and TypeScript have in common.
#pragma once

#include <string_view>

#include "languages/definition_types.h"
#include "languages/language.h"
#include "languages/scope_types.h"
#include "languages/script_globals.h"
#include "languages/signature_types.h"

namespace redraft {

inline constexpr DefinitionType kTypeScriptDefinitions[] = {
    {"function_declaration"},
    {"generator_function_declaration"},
    {"method_definition"},
    {"variable_declarator", DefinitionKind::kFunction, DefinitionTest::kHoldsFunction},
    {"public_field_definition", DefinitionKind::kFunction, DefinitionTest::kHoldsFunction},
    {"pair", DefinitionKind::kFunction, DefinitionTest::kHoldsFunction, "key"},
    {"assignment_expression", DefinitionKind::kFunction, DefinitionTest::kHoldsFunction, "left",
     "right"},
    {"class_declaration", DefinitionKind::kType},
    {"abstract_class_declaration", DefinitionKind::kType},
    {"interface_declaration", DefinitionKind::kType},
    {"enum_declaration", DefinitionKind::kType},
    {"type_alias_declaration", DefinitionKind::kType},
    {"internal_module", DefinitionKind::kModule},
    {"module", DefinitionKind::kModule, DefinitionTest::kHasBody}};

inline constexpr std::string_view kScriptWrappers =
    "export_statement expression_statement ambient_declaration";
inline constexpr std::string_view kScriptLoneWrappers = "lexical_declaration variable_declaration";
inline constexpr std::string_view kScriptIdentifiers = "shorthand_property_identifier_pattern";
inline constexpr std::string_view kScriptLeading = "comment html_comment decorator";
inline constexpr std::string_view kScriptSequences =
    "program class_body statement_block switch_body switch_case switch_default interface_body "
    "object_type enum_body object array jsx_element jsx_fragment";
inline constexpr std::string_view kScriptFunctionValues =
    "arrow_function function_expression generator_function class";
inline constexpr std::string_view kScriptKeywords =
    "arguments await break case catch class const continue debugger default delete do else enum "
    "eval export "
    "extends false finally for function if implements import in instanceof interface let new null "
    "package private protected public return static super switch this throw true try typeof var "
    "void while with yield";

inline constexpr KnownNames kScriptKnownNames{
    .builtins = kScriptGlobals,
    .members = {.case_mark = ".",
                .has_own_members = true,
                .builtins = "constructor hasOwnProperty isPrototypeOf length name prototype "
                            "toLocaleString toString valueOf",
                .opening_texts = "Object.assign defineProp this["}};

// The containers of typed scripts.
inline constexpr ContainerTypes kScriptContainers{
    .cases = "switch_statement enum_declaration",
    .fields =
        "class_declaration abstract_class_declaration class interface_declaration object_type "
        "object",
    .methods =
        "class_declaration abstract_class_declaration class interface_declaration object_type "
        "object",
    .entries = "object array",
    .option_calls = "option addOption requiredOption addArgument positional"};

// Modules of Node.js.
inline constexpr std::string_view kScriptModules[] = {"fs",       "http", "https", "os",  "path",
                                                      "readline", "url",  "util",  "zlib"};
inline constexpr ImportForm kScriptImportForms[] = {
    {"const {name} = require('{module}');", "require("},
    {"import * as {name} from '{module}';", "import "}};
inline constexpr StandardModules kScriptStandardModules{.paths = kScriptModules,
                                                        .forms = kScriptImportForms};

inline constexpr std::string_view kScriptFunctions =
    "function_declaration function_expression arrow_function method_definition "
    "generator_function generator_function_declaration function_signature method_signature "
    "abstract_method_signature class_static_block function_type constructor_type call_signature "
    "construct_signature";
inline constexpr std::string_view kScriptBlocks =
    "statement_block for_statement for_in_statement catch_clause switch_body "
    "type_alias_declaration";
inline constexpr std::string_view kScriptTypes =
    "class_declaration class abstract_class_declaration interface_declaration enum_declaration";
inline constexpr std::string_view kScriptHere =
    "variable_declarator.name for_in_statement.left?kind catch_clause.parameter "
    "function_expression.name generator_function.name class.name type_parameter.name "
    "infer_type mapped_type_clause.name index_signature.name";
inline constexpr std::string_view kScriptAround =
    "function_declaration.name generator_function_declaration.name class_declaration.name "
    "abstract_class_declaration.name interface_declaration.name type_alias_declaration.name "
    "enum_declaration.name function_signature.name internal_module.name module.name "
    "import_clause namespace_import import_specifier.alias";
inline constexpr std::string_view kScriptPatterns =
    "object_pattern array_pattern pair_pattern.value assignment_pattern.left "
    "object_assignment_pattern.left rest_pattern required_parameter.pattern "
    "optional_parameter.pattern";
inline constexpr std::string_view kScriptMembers =
    "method_definition.name field_definition.property public_field_definition.name "
    "property_signature.name method_signature.name abstract_method_signature.name "
    "enum_body.name enum_assignment.name";
inline constexpr std::string_view kScriptKeys =
    "statement_identifier property_identifier import_specifier.name?alias export_specifier.alias "
    "nested_type_identifier.name nested_identifier.property";

constexpr ScopeTypes script_scopes() {
  return {.functions = kScriptFunctions,
          .blocks = kScriptBlocks,
          .types = kScriptTypes,
          .here = kScriptHere,
          .around = kScriptAround,
          .parameters = "formal_parameters arrow_function.parameter",
          .patterns = kScriptPatterns,
          .parameter_lists = "formal_parameters",
          .member_declarations = kScriptMembers,
          .member_parameters =
              "required_parameter.pattern?accessibility_modifier "
              "required_parameter.pattern?readonly required_parameter.pattern?override_modifier "
              "optional_parameter.pattern?accessibility_modifier "
              "optional_parameter.pattern?readonly optional_parameter.pattern?override_modifier",
          .shared_blocks = "ambient_declaration",
          .members = "member_expression.property",
          .keys = kScriptKeys,
          .fields = "pair_pattern.key",
          .shorthand = "shorthand_property_identifier shorthand_property_identifier_pattern",
          .imports = "import_specifier.name?!alias",
          .exports = "export_specifier.name?!alias",
          .unsure = "with_statement",
          .foreign = "export_specifier.name type_predicate",
          .hoisting = "variable_declaration",
          .own = "this super",
          .predefined =
              "undefined NaN Infinity globalThis window document console process require module "
              "exports Object Function Boolean Symbol Error Number BigInt Math Date String RegExp "
              "Array Map Set WeakMap WeakSet Promise Proxy Reflect JSON Intl fetch setTimeout "
              "setInterval clearTimeout clearInterval parseInt parseFloat isNaN isFinite URL Event "
              "any unknown never string number boolean symbol object bigint Partial Required "
              "Readonly Record Pick Omit Exclude Extract",
          .name_finders = "spyOn stub hasOwnProperty defineProperty Reflect",
          .has_member_texts = true};
}

constexpr ScopeTypes typed_script_scopes() {
  ScopeTypes types = script_scopes();
  types.fields = "pair_pattern.key pair.key jsx_attribute-";
  types.structural_types = "interface_declaration";
  return types;
}

constexpr SignatureTypes script_signatures(CallStyle style) {
  return {.parameter_lists = "formal_parameters",
          .argument_lists = "arguments",
          .optional = "optional_parameter",
          .rest = "rest_pattern",
          .constructors = "constructor",
          .calls = "call_expression.function new_expression.constructor",
          .callee_parts = "member_expression.property",
          .spreads = "spread_element",
          .style = style};
}

}  // namespace redraft
