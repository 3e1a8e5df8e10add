#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;
constexpr auto kModule = DefinitionKind::kModule;
constexpr auto kHasBody = DefinitionTest::kHasBody;

constexpr DefinitionType kDefinitions[] = {{"function_definition"},
                                           {"method_declaration"},
                                           {"class_declaration", kType},
                                           {"interface_declaration", kType},
                                           {"trait_declaration", kType},
                                           {"enum_declaration", kType},
                                           {"namespace_definition", kModule, kHasBody}};

constexpr ContainerTypes kContainers{
    .cases = "switch_statement match_expression enum_declaration",
    .fields = "class_declaration interface_declaration trait_declaration array_creation_expression",
    .methods = "class_declaration interface_declaration trait_declaration enum_declaration",
    .entries = "array_creation_expression",
    .option_calls = "addOption addArgument"};

constexpr LanguageFiles kFiles[] = {{"php", "php phtml"}};
constexpr CommentMarks kComments[] = {{"//"}, {"#"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"use ", "require ", "require("};

}  // namespace

constinit const Language kPhp = {
    .ids = "php",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "php",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = "name",
    .sequences =
        "program declaration_list enum_declaration_list compound_statement switch_block "
        "case_statement default_statement match_block array_creation_expression",
    .parts = "else_clause finally_clause catch_clause",
    .function_values = "arrow_function function_definition",
    .scopes = kHasNone,
    .containers = &kContainers,
    .signatures = kHasNone,
    .imports = "namespace_use_declaration",
    .import_words = "require require_once include include_once",
    .import_heads = "php_tag declare_statement namespace_definition",
    .has_local_imports = true,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kImportLines,
    .declaring_words = "use require include function class interface trait enum",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = true,
    .keywords =
        "abstract and array as break callable case catch class clone const continue declare "
        "default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile "
        "eval exit extends final finally fn for foreach function global goto if implements include "
        "include_once instanceof insteadof interface isset list match namespace new or print "
        "private protected public readonly require require_once return static switch throw trait "
        "try unset use var while xor yield",
    .has_keyword_members = true};

}  // namespace redraft
