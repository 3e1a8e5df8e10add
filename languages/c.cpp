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
                             .foreign =
                                 "preproc_defined preproc_call preproc_ifdef.name "
                                 "attribute_declaration attribute_specifier gnu_asm_expression",
                             .known_from = KnownFrom::kName,
                             .separate_types = true};

constexpr SignatureTypes kSignatures{.parameter_lists = "parameter_list",
                                     .argument_lists = "argument_list",
                                     .rest = "variadic_parameter",
                                     .calls = "call_expression.function"};

constexpr std::string_view kBuiltins =
    "NULL EOF stdin stdout stderr errno true false bool va_start va_end va_arg va_copy main "
    "__func__ __FUNCTION__ __PRETTY_FUNCTION__ __FILE__ __LINE__ __DATE__ __TIME__ defined size_t "
    "ssize_t ptrdiff_t intptr_t uintptr_t wchar_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t intmax_t uintmax_t off_t time_t FILE va_list environ optarg optind opterr "
    "optopt inline asm nullptr typeof static_assert thread_local alignas alignof offsetof assert";
constexpr KnownNames kKnownNames{.builtins = kBuiltins};

constexpr ContainerTypes kContainers{.cases = "switch_statement enum_specifier",
                                     .fields = "struct_specifier union_specifier",
                                     .entries = "initializer_list"};

// Those that mean one thing in all code.
constexpr StandardNames kNames[] = {
    {"assert.h", "assert"},
    {"ctype.h", "isalnum isalpha isdigit islower isspace isupper tolower toupper"},
    {"errno.h", "errno"},
    {"limits.h", "INT_MAX INT_MIN LONG_MAX UINT_MAX"},
    {"math.h", "ceil fabs floor pow sqrt"},
    {"stdio.h", "fclose fgets fopen fprintf fputs perror printf puts snprintf sprintf"},
    {"stdlib.h", "abort atoi calloc exit free getenv malloc qsort realloc strtol strtoul"},
    {"string.h",
     "memcmp memcpy memmove memset strcat strchr strcmp strcpy strdup strerror strlen "
     "strncmp strncpy strrchr strstr strtok"},
    {"time.h", "clock localtime strftime time"},
};
constexpr StandardModules kStandardModules{
    .paths = {}, .forms = {}, .names = kNames, .name_form = "#include <{module}>"};

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
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "preproc_include",
    .import_words = kHasNone,
    .import_heads = "preproc_call",
    .has_local_imports = false,
    .modules = ModuleSystem::kInclude,
    .standard_modules = &kStandardModules,
    .known_names = &kKnownNames,
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
