#include "indexing/syntax/definition_types.h"

extern "C" {
const TSLanguage* tree_sitter_bash();
const TSLanguage* tree_sitter_c();
const TSLanguage* tree_sitter_c_sharp();
const TSLanguage* tree_sitter_cpp();
const TSLanguage* tree_sitter_css();
const TSLanguage* tree_sitter_go();
const TSLanguage* tree_sitter_html();
const TSLanguage* tree_sitter_java();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_json();
const TSLanguage* tree_sitter_lua();
const TSLanguage* tree_sitter_markdown();
const TSLanguage* tree_sitter_php();
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_ruby();
const TSLanguage* tree_sitter_rust();
const TSLanguage* tree_sitter_toml();
const TSLanguage* tree_sitter_tsx();
const TSLanguage* tree_sitter_typescript();
const TSLanguage* tree_sitter_yaml();
}

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kType = DefinitionKind::kType;
constexpr auto kImplementation = DefinitionKind::kImplementation;
constexpr auto kModule = DefinitionKind::kModule;
constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kSection = DefinitionKind::kSection;
constexpr auto kAlways = DefinitionTest::kAlways;
constexpr auto kHasBody = DefinitionTest::kHasBody;
constexpr auto kHoldsFunction = DefinitionTest::kHoldsFunction;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;
constexpr auto kHasHeading = DefinitionTest::kHasHeading;

constexpr DefinitionType kBash[] = {{"function_definition"}};

constexpr DefinitionType kC[] = {{"function_definition", kFunction, kAlways, "declarator"},
                                 {"struct_specifier", kType, kHasBody},
                                 {"union_specifier", kType, kHasBody},
                                 {"enum_specifier", kType, kHasBody}};

constexpr DefinitionType kCpp[] = {{"function_definition", kFunction, kAlways, "declarator"},
                                   {"class_specifier", kType, kHasBody},
                                   {"struct_specifier", kType, kHasBody},
                                   {"union_specifier", kType, kHasBody},
                                   {"enum_specifier", kType, kHasBody},
                                   {"concept_definition", kType},
                                   {"namespace_definition", kModule}};

constexpr DefinitionType kCSharp[] = {
    {"method_declaration"},
    {"constructor_declaration"},
    {"destructor_declaration"},
    {"operator_declaration", kFunction, kAlways, "operator"},
    {"conversion_operator_declaration", kFunction, kAlways, "type"},
    {"indexer_declaration", kFunction, kAlways, "type"},
    {"property_declaration"},
    {"event_declaration"},
    {"local_function_statement"},
    {"class_declaration", kType},
    {"struct_declaration", kType},
    {"record_declaration", kType},
    {"interface_declaration", kType},
    {"enum_declaration", kType},
    {"delegate_declaration", kType},
    {"namespace_declaration", kModule}};

constexpr DefinitionType kCss[] = {{"rule_set", kEntry, kAlways, ""},
                                   {"media_statement", kEntry, kAlways, ""},
                                   {"supports_statement", kEntry, kAlways, ""},
                                   {"keyframes_statement", kEntry, kAlways, ""},
                                   {"at_rule", kEntry, kSeveralLines, ""}};

constexpr DefinitionType kGo[] = {
    {"function_declaration"}, {"method_declaration"}, {"type_spec", kType}, {"type_alias", kType}};

constexpr DefinitionType kHtml[] = {{"element", kEntry, kSeveralLines, ""},
                                    {"script_element", kEntry, kSeveralLines, ""},
                                    {"style_element", kEntry, kSeveralLines, ""}};

constexpr DefinitionType kJava[] = {{"method_declaration"},
                                    {"constructor_declaration"},
                                    {"compact_constructor_declaration"},
                                    {"class_declaration", kType},
                                    {"interface_declaration", kType},
                                    {"enum_declaration", kType},
                                    {"record_declaration", kType},
                                    {"annotation_type_declaration", kType},
                                    {"module_declaration", kModule}};

constexpr DefinitionType kJavaScript[] = {
    {"function_declaration"},
    {"generator_function_declaration"},
    {"method_definition"},
    {"variable_declarator", kFunction, kHoldsFunction},
    {"field_definition", kFunction, kHoldsFunction, "property"},
    {"pair", kFunction, kHoldsFunction, "key"},
    {"assignment_expression", kFunction, kHoldsFunction, "left", "right"},
    {"class_declaration", kType}};

constexpr DefinitionType kTypeScript[] = {
    {"function_declaration"},
    {"generator_function_declaration"},
    {"method_definition"},
    {"variable_declarator", kFunction, kHoldsFunction},
    {"public_field_definition", kFunction, kHoldsFunction},
    {"pair", kFunction, kHoldsFunction, "key"},
    {"assignment_expression", kFunction, kHoldsFunction, "left", "right"},
    {"class_declaration", kType},
    {"abstract_class_declaration", kType},
    {"interface_declaration", kType},
    {"enum_declaration", kType},
    {"type_alias_declaration", kType},
    {"internal_module", kModule},
    {"module", kModule, kHasBody}};

constexpr DefinitionType kJson[] = {{"pair", kEntry, kSeveralLines, "key"}};

constexpr DefinitionType kLua[] = {{"function_declaration"},
                                   {"assignment_statement", kFunction, kHoldsFunction, "", ""},
                                   {"field", kFunction, kHoldsFunction}};

constexpr DefinitionType kMarkdown[] = {{"section", kSection, kHasHeading, ""}};

constexpr DefinitionType kPhp[] = {{"function_definition"},
                                   {"method_declaration"},
                                   {"class_declaration", kType},
                                   {"interface_declaration", kType},
                                   {"trait_declaration", kType},
                                   {"enum_declaration", kType},
                                   {"namespace_definition", kModule, kHasBody}};

constexpr DefinitionType kPython[] = {{"function_definition"}, {"class_definition", kType}};

constexpr DefinitionType kRuby[] = {{"method"},
                                    {"singleton_method"},
                                    {"class", kType},
                                    {"singleton_class", kType, kAlways, "value"},
                                    {"module", kModule}};

constexpr DefinitionType kRust[] = {{"function_item"},
                                    {"macro_definition"},
                                    {"struct_item", kType},
                                    {"enum_item", kType},
                                    {"union_item", kType},
                                    {"trait_item", kType},
                                    {"impl_item", kImplementation, kAlways, "type"},
                                    {"mod_item", kModule, kHasBody}};

constexpr DefinitionType kToml[] = {{"table", kEntry, kAlways, ""},
                                    {"table_array_element", kEntry, kAlways, ""},
                                    {"pair", kEntry, kSeveralLines, ""}};

constexpr DefinitionType kYaml[] = {{"block_mapping_pair", kEntry, kSeveralLines, "key"}};

constexpr std::string_view kScriptWrappers =
    "export_statement expression_statement ambient_declaration";
constexpr std::string_view kScriptLoneWrappers = "lexical_declaration variable_declaration";
constexpr std::string_view kScriptIdentifiers = "shorthand_property_identifier_pattern";
constexpr std::string_view kScriptLeading = "comment html_comment decorator";

constexpr std::string_view kCSequences =
    "translation_unit declaration_list field_declaration_list enumerator_list compound_statement "
    "case_statement initializer_list preproc_if preproc_ifdef preproc_else preproc_elif";
constexpr std::string_view kScriptSequences =
    "program class_body statement_block switch_body switch_case switch_default interface_body "
    "object_type enum_body object array jsx_element jsx_fragment";

constexpr LanguageTypes kLanguages[] = {
    {"shellscript sh bash", tree_sitter_bash, kBash, "", "", "comment", "variable_name",
     "program compound_statement do_group if_statement else_clause elif_clause case_statement "
     "case_item subshell",
     "", "source ."},
    {"c", tree_sitter_c, kC, "type_definition declaration field_declaration", "", "comment", "",
     kCSequences, "preproc_include"},
    {"cpp cuda-cpp cuda", tree_sitter_cpp, kCpp,
     "template_declaration type_definition declaration field_declaration", "", "comment", "",
     kCSequences, "preproc_include"},
    {"csharp cs", tree_sitter_c_sharp, kCSharp, "", "", "comment", "implicit_parameter",
     "compilation_unit file_scoped_namespace_declaration declaration_list "
     "enum_member_declaration_list block switch_body switch_section initializer_expression",
     "using_directive"},
    {"css", tree_sitter_css, kCss, "", "", "comment",
     "class_name id_name tag_name property_name function_name keyframes_name",
     "stylesheet block keyframe_block_list", "import_statement"},
    {"go", tree_sitter_go, kGo, "", "type_declaration", "comment", "label_name",
     "source_file import_spec_list field_declaration_list interface_type const_declaration "
     "var_declaration var_spec_list type_declaration block statement_list literal_value "
     "expression_switch_statement type_switch_statement select_statement",
     "import_declaration"},
    {"html", tree_sitter_html, kHtml, "", "", "comment", "tag_name attribute_name",
     "document element"},
    {"java", tree_sitter_java, kJava, "", "", "line_comment block_comment", "",
     "program class_body interface_body enum_body enum_body_declarations annotation_type_body "
     "block constructor_body switch_block switch_block_statement_group array_initializer",
     "import_declaration"},
    {"javascript javascriptreact javascript.jsx", tree_sitter_javascript, kJavaScript,
     kScriptWrappers, kScriptLoneWrappers, kScriptLeading, kScriptIdentifiers, kScriptSequences,
     "import_statement", "require"},
    {"typescript", tree_sitter_typescript, kTypeScript, kScriptWrappers, kScriptLoneWrappers,
     kScriptLeading, kScriptIdentifiers, kScriptSequences, "import_statement", "require"},
    {"typescriptreact typescript.tsx", tree_sitter_tsx, kTypeScript, kScriptWrappers,
     kScriptLoneWrappers, kScriptLeading, kScriptIdentifiers, kScriptSequences, "import_statement",
     "require"},
    {"json jsonc", tree_sitter_json, kJson, "", "", "comment", "", "document object array"},
    {"lua", tree_sitter_lua, kLua, "", "variable_declaration", "comment", "",
     "chunk block table_constructor", "", "require"},
    {"markdown", tree_sitter_markdown, kMarkdown, "", "", "", "",
     "document section list list_item block_quote"},
    {"php", tree_sitter_php, kPhp, "", "", "comment", "name",
     "program declaration_list enum_declaration_list compound_statement switch_block "
     "case_statement default_statement match_block array_creation_expression",
     "namespace_use_declaration", "require require_once include include_once"},
    {"python", tree_sitter_python, kPython, "decorated_definition", "", "comment", "",
     "module block dictionary list set tuple",
     "import_statement import_from_statement future_import_statement"},
    {"ruby", tree_sitter_ruby, kRuby, "", "", "comment",
     "constant instance_variable class_variable global_variable",
     "program body_statement block_body begin case then else ensure rescue do hash array", "",
     "require require_relative"},
    {"rust", tree_sitter_rust, kRust, "", "", "line_comment block_comment attribute_item", "",
     "source_file declaration_list field_declaration_list enum_variant_list block match_block "
     "field_initializer_list array_expression",
     "use_declaration extern_crate_declaration"},
    {"toml", tree_sitter_toml, kToml, "", "", "comment", "bare_key",
     "document table table_array_element array"},
    {"yaml", tree_sitter_yaml, kYaml, "", "", "comment", "anchor_name alias_name",
     "stream block_mapping block_sequence"}};

}  // namespace

std::span<const LanguageTypes> language_types() { return kLanguages; }

}  // namespace redraft
