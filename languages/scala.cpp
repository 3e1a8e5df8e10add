#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;
constexpr auto kModule = DefinitionKind::kModule;

constexpr DefinitionType kDefinitions[] = {
    {"function_definition"},     {"function_declaration"},
    {"class_definition", kType}, {.node = "object_definition", .kind = kType, .word = "object"},
    {"trait_definition", kType}, {"enum_definition", kType},
    {"type_definition", kType},  {"package_object", kModule}};

constexpr ScopeTypes kScopes{
    .functions = "function_definition function_declaration lambda_expression",
    .blocks =
        "block indented_block case_clause for_expression extension_definition given_definition "
        "class_definition enum_definition trait_definition type_definition",
    .types = "class_definition object_definition trait_definition enum_definition package_object",
    .here =
        "val_definition.pattern var_definition.pattern val_declaration.name var_declaration.name "
        "simple_enum_case.name full_enum_case.name enumerator- type_parameters.name "
        "given_definition.name",
    .around =
        "function_definition.name function_declaration.name class_definition.name "
        "object_definition.name trait_definition.name enum_definition.name type_definition.name "
        "package_object.name",
    .parameters = "parameter.name class_parameter.name binding.name lambda_expression.parameters",
    .patterns =
        "tuple_pattern alternative_pattern case_class_pattern.pattern capture_pattern.name "
        "capture_pattern.pattern typed_pattern.pattern infix_pattern.left infix_pattern.right "
        "identifiers",
    .matched = "case_clause.pattern",
    .parameter_lists = "parameter parameters class_parameter class_parameters binding bindings",
    .members =
        "field_expression.field infix_expression.operator stable_identifier+ "
        "stable_type_identifier+ postfix_expression+",
    .keys = "interpolated_string_expression.interpolator package_identifier",
    .apart = "import_declaration export_declaration",
    .arguments = "arguments>assignment_expression.left",
    .constructions = "instance_expression",
    .base_nodes = "extends_clause",
    .bases = "extend",
    .own = "this super",
    .predefined =
        "Any AnyRef AnyVal Nothing Null Unit Int Long Short Byte Char Boolean Double Float String "
        "Option Some None List Seq Set Map Vector Nil Right Left Either Iterator Iterable Array "
        "println print require assert identity",
    .bare_members = true,
    .has_dollar_marks = true,
    .separate_types = true};

constexpr SignatureTypes kSignatures{
    .parameter_lists = "parameters",
    .argument_lists = "arguments",
    .rest = "repeated_parameter_type",
    .calls = "call_expression.function",
    .callee_parts = "field_expression.field generic_function.function",
    .spreads = "ascription_expression",
    .effects = "instance_expression infix_expression postfix_expression field_expression",
    .has_overloads = true,
    .style = {.name_mark = " = "}};

constexpr std::string_view kBuiltins =
    "Any AnyRef AnyVal Array Boolean Byte Char Double Either Float Function Int Integer Iterable "
    "Iterator Left List Long Map Nil None Nothing Null Numeric Object Option Ordered Ordering "
    "Predef Product Range Right Seq Serializable Set Short Some StringBuilder String "
    "StringContext Symbol Throwable Unit Vector LazyList BigInt BigDecimal Exception Error "
    "RuntimeException IllegalArgumentException IllegalStateException NoSuchElementException "
    "IndexOutOfBoundsException UnsupportedOperationException NullPointerException "
    "ClassCastException NumberFormatException InterruptedException Math System Thread Runnable "
    "Comparable Class Matchable Tuple EmptyTuple assert assume classOf identity implicitly "
    "locally print printf println require summon summonInline valueOf ??? java javax scala com "
    "org net io math sys util collection concurrent reflect hashCode toString equals getClass "
    "wait notify notifyAll synchronized eq ne isInstanceOf asInstanceOf clone finalize main args "
    "copy productIterator apply unapply inline opaque open transparent using derives end "
    "extension as infix _";
constexpr KnownNames kKnownNames{
    .builtins = kBuiltins,
    .wildcards = "* _ given",
    .members = {.case_mark = ".", .builtins = "apply fromOrdinal unapply valueOf values"}};

constexpr ContainerTypes kContainers{
    .cases = "match_expression enum_definition",
    .fields = "class_definition object_definition trait_definition",
    .methods = "class_definition object_definition trait_definition enum_definition",
    .option_calls = "opt arg"};

constexpr LanguageFiles kFiles[] = {{"scala", "scala sbt"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kScala = {
    .ids = "scala",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "scala",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment block_comment",
    .identifiers = kHasNone,
    .sequences =
        "compilation_unit template_body with_template_body enum_body block indented_block "
        "case_block indented_cases case_clause",
    .parts = "catch_clause finally_clause",
    .function_values = kHasNone,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import_declaration",
    .import_words = kHasNone,
    .import_heads = "package_clause",
    .has_local_imports = true,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "import package class object trait enum def",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "abstract case catch class def do else enum export extends false final finally for given "
        "if implicit import lazy match new null object override package private protected return "
        "sealed super then this throw trait true try type val var while with yield",
    .has_keyword_members = false};

}  // namespace redraft
