#include "languages/c_family.h"
#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kType = DefinitionKind::kType;
constexpr auto kAlways = DefinitionTest::kAlways;
constexpr auto kHasBody = DefinitionTest::kHasBody;

constexpr DefinitionType kDefinitions[] = {
    {"function_definition", kFunction, kAlways, "declarator"},
    {"struct_specifier", kType, kHasBody},
    {"union_specifier", kType, kHasBody},
    {"enum_specifier", kType, kHasBody}};

constexpr ScopeTypes kScopes{.functions = "function_definition",
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

constexpr SignatureTypes kSignatures{.parameter_lists = "parameter_list",
                                     .argument_lists = "argument_list",
                                     .rest = "variadic_parameter",
                                     .calls = "call_expression.function"};

constexpr LanguageFiles kFiles[] = {{"c", "c"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"#include"};

}  // namespace

constinit const Language kC = {
    .ids = "c",
    .files = kFiles,
    .shared_family = "c",
    .content = Content::kCode,
    .grammar = "c",
    .definitions = kDefinitions,
    .wrappers = "type_definition declaration field_declaration",
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = kHasNone,
    .sequences = kCSequences,
    .parts = "else_clause",
    .function_values = "function_definition",
    .scopes = &kScopes,
    .signatures = &kSignatures,
    .imports = "preproc_include",
    .import_words = kHasNone,
    .import_heads = "preproc_call",
    .has_local_imports = false,
    .modules = ModuleSystem::kInclude,
    .standard_modules = kHasNone,
    .import_lines = kImportLines,
    .declaring_words = "include struct enum",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "auto break case char const continue default do double else enum extern float for goto if "
        "inline int long register restrict return short signed sizeof static struct switch typedef "
        "union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic "
        "_Imaginary _Noreturn _Static_assert _Thread_local alignas alignof bool constexpr false "
        "nullptr static_assert thread_local true typeof typeof_unqual",
    .has_keyword_members = false};

}  // namespace redraft
