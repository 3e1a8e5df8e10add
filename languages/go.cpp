#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;

constexpr DefinitionType kDefinitions[] = {
    {"function_declaration"}, {"method_declaration"}, {"type_spec", kType}, {"type_alias", kType}};

constexpr ScopeTypes kScopes{
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
    .embedded = "field_declaration.type?!name",
    .interfaces = "method_elem",
    .members = "selector_expression.field",
    .keys = "label_name qualified_type.name",
    .apart = "package_clause",
    .fields = "literal_element",
    .predefined =
        "any append bool byte cap clear close comparable complex complex64 complex128 copy delete "
        "error false float32 float64 imag int int8 int16 int32 int64 iota len make max min new nil "
        "panic print println real recover rune string true uint uint8 uint16 uint32 uint64 uintptr "
        "init main",
    .name_finders = "FieldByName MethodByName",
    .known_from = KnownFrom::kStatement,
    .separate_types = true};

constexpr SignatureTypes kSignatures{.parameter_lists = "parameter_list",
                                     .argument_lists = "argument_list",
                                     .rest = "variadic_parameter_declaration",
                                     .several = "parameter_declaration",
                                     .calls = "call_expression.function",
                                     .callee_parts = "selector_expression.field",
                                     .spreads = "variadic_argument",
                                     .results = "result",
                                     .takers = "short_var_declaration assignment_statement"};

constexpr std::string_view kModules[] = {
    "bufio",        "bytes",        "context",       "crypto/sha256", "encoding/base64",
    "encoding/csv", "encoding/hex", "encoding/json", "errors",        "fmt",
    "io",           "log",          "math",          "math/rand",     "net/http",
    "net/url",      "os",           "os/exec",       "os/signal",     "path/filepath",
    "reflect",      "regexp",       "runtime",       "slices",        "sort",
    "strconv",      "strings",      "sync",          "sync/atomic",   "time",
    "unicode",      "unicode/utf8"};
constexpr ImportForm kImportForms[] = {{"import \"{module}\""}};
constexpr StandardModules kStandardModules{.paths = kModules, .forms = kImportForms};

constexpr std::string_view kBuiltins =
    "any append bool byte cap clear close comparable complex complex64 complex128 copy delete "
    "error false float32 float64 imag int int8 int16 int32 int64 iota len make max min new nil "
    "panic print println real recover rune string true uint uint8 uint16 uint32 uint64 uintptr C "
    "init main";
constexpr KnownNames kKnownNames{
    .builtins = kBuiltins, .wildcards = ".", .members = {.has_struct_fields = true}};

constexpr ContainerTypes kContainers{
    .cases = "expression_switch_statement type_switch_statement select_statement const_declaration",
    .fields = "struct_type literal_value",
    .methods = "interface_type",
    .entries = "literal_value",
    .option_calls =
        "Bool BoolVar Duration DurationVar Int IntVar String StringVar BoolP BoolVarP IntP IntVarP "
        "StringP StringVarP"};

constexpr LanguageFiles kFiles[] = {{"go", "go"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kGo = {
    .ids = "go",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "go",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = "type_declaration",
    .leading = "comment",
    .identifiers = "label_name",
    .sequences =
        "source_file import_spec_list field_declaration_list interface_type const_declaration "
        "var_declaration var_spec_list type_declaration block statement_list literal_value "
        "expression_switch_statement type_switch_statement select_statement",
    .parts = kHasNone,
    .function_values = kHasNone,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import_declaration",
    .import_words = kHasNone,
    .import_heads = "package_clause",
    .has_local_imports = false,
    .modules = ModuleSystem::kGo,
    .standard_modules = &kStandardModules,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "import package func",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "break case chan const continue default defer else fallthrough for func go goto if import "
        "interface map package range return select struct switch type var _",
    .has_keyword_members = false};

}  // namespace redraft
