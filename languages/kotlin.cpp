#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;

constexpr DefinitionType kDefinitions[] = {
    {"function_declaration"},
    {.node = "secondary_constructor", .word = "constructor"},
    {.node = "anonymous_initializer", .word = "initializer"},
    {"class_declaration", kType},
    {.node = "object_declaration", .kind = kType, .word = "object"},
    {.node = "companion_object", .kind = kType, .word = "companion object"},
    {.node = "type_alias", .kind = kType, .name = "type"}};

constexpr ScopeTypes kScopes{
    .functions =
        "function_declaration anonymous_function lambda_literal secondary_constructor getter "
        "setter anonymous_initializer",
    .blocks =
        "block for_statement catch_block when_expression when_entry class_declaration type_alias",
    .types = "class_declaration object_declaration companion_object object_literal",
    .here = "variable_declaration- type_parameter- enum_entry enum_entry- catch_block-",
    .around =
        "function_declaration.name class_declaration.name object_declaration.name "
        "companion_object.name type_alias.type",
    .parameters =
        "parameter- parameter+ class_parameter-?!modifiers class_parameter+?modifiers "
        "lambda_parameters>variable_declaration- setter-",
    .parameter_lists =
        "parameter function_value_parameters class_parameter class_parameters primary_constructor "
        "variable_declaration lambda_parameters",
    .member_parameters = "class_parameter-?val class_parameter-?var",
    .members = "navigation_expression+ callable_reference+",
    .qualified = "user_type+",
    .keys = "label annotation",
    .apart = "import package_header file_annotation",
    .arguments = "value_argument-?=",
    .constructions = "call_expression constructor_invocation",
    .base_nodes = "delegation_specifiers",
    .type_places = "user_type user_type- user_type+",
    .own = "this super",
    .predefined =
        "Any Array Boolean Byte Char Comparable Double Enum Float Int Iterable List Long Map "
        "MutableList MutableMap MutableSet Nothing Number Pair Sequence Set Short String "
        "Throwable Triple Unit also apply arrayOf assert check error let listOf mapOf "
        "mutableListOf mutableMapOf print println repeat require run setOf with it field",
    .known_from = KnownFrom::kStatement,
    .statements = "property_declaration",
    .bare_members = true,
    .has_dollar_marks = true,
    .has_dollar_names = true};

constexpr SignatureTypes kSignatures{.parameter_lists = "function_value_parameters",
                                     .argument_lists = "value_arguments",
                                     .rest_marks = "vararg",
                                     .calls = "call_expression-",
                                     .callee_parts = "navigation_expression+",
                                     .blocks = "annotated_lambda",
                                     .spreads = "spread_expression",
                                     .effects = "infix_expression",
                                     .attributes = "parameter_modifiers",
                                     .has_overloads = true,
                                     .style = {.name_mark = " = "}};

constexpr ContainerTypes kContainers{
    .cases = "when_expression enum_class_body",
    .fields = "class_declaration object_declaration companion_object",
    .methods = "class_declaration object_declaration companion_object",
    .option_calls = "option argument flag"};

constexpr LanguageFiles kFiles[] = {{"kotlin", "kt kts"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kKotlin = {
    .ids = "kotlin",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "kotlin",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "line_comment block_comment",
    .identifiers = kHasNone,
    .sequences = "source_file class_body enum_class_body block lambda_literal when_expression",
    .parts = "when_subject lambda_parameters catch_block finally_block",
    .function_values = kHasNone,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import",
    .import_words = kHasNone,
    .import_heads = "package_header file_annotation shebang",
    .has_local_imports = false,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kImportLines,
    .declaring_words = "import package class interface object fun",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "as break class continue do else false for fun if in interface is null object package "
        "return super this throw true try typealias typeof val var when while",
    .has_keyword_members = false};

}  // namespace redraft
