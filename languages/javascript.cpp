#include "languages/rows.h"
#include "languages/script_family.h"

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kType = DefinitionKind::kType;
constexpr auto kHoldsFunction = DefinitionTest::kHoldsFunction;

constexpr DefinitionType kDefinitions[] = {
    {"function_declaration"},
    {"generator_function_declaration"},
    {"method_definition"},
    {"variable_declarator", kFunction, kHoldsFunction},
    {"field_definition", kFunction, kHoldsFunction, "property"},
    {"pair", kFunction, kHoldsFunction, "key"},
    {"assignment_expression", kFunction, kHoldsFunction, "left", "right"},
    {"class_declaration", kType}};

constexpr ScopeTypes with_assigned_members(ScopeTypes types) {
  types.has_assigned_members = true;
  return types;
}
constexpr ScopeTypes kScopes = with_assigned_members(script_scopes());
constexpr SignatureTypes kSignatures = script_signatures({.may_lack = true});

constexpr ContainerTypes kContainers{
    .cases = "switch_statement",
    .fields = "class_declaration class object",
    .methods = "class_declaration class object",
    .entries = "object array",
    .option_calls = "option addOption requiredOption addArgument positional"};

constexpr LanguageFiles kFiles[] = {{"javascript", "js mjs cjs"}, {"javascriptreact", "jsx"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kJavaScript = {
    .ids = "javascript javascriptreact javascript.jsx",
    .files = kFiles,
    .shared_family = "script",
    .content = Content::kCode,
    .grammar = "javascript",
    .definitions = kDefinitions,
    .wrappers = kScriptWrappers,
    .lone_wrappers = kScriptLoneWrappers,
    .leading = kScriptLeading,
    .identifiers = kScriptIdentifiers,
    .sequences = kScriptSequences,
    .parts = "else_clause finally_clause catch_clause jsx_opening_element jsx_closing_element",
    .function_values = kScriptFunctionValues,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import_statement",
    .import_words = "require",
    .import_heads = "hash_bang_line",
    .has_local_imports = false,
    .modules = ModuleSystem::kScript,
    .standard_modules = &kScriptStandardModules,
    .known_names = &kScriptKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "import class function",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = true,
    .keywords = kScriptKeywords,
    .has_keyword_members = true};

}  // namespace redraft
