#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kType = DefinitionKind::kType;
constexpr auto kModule = DefinitionKind::kModule;
constexpr auto kAlways = DefinitionTest::kAlways;

constexpr DefinitionType kDefinitions[] = {
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

constexpr ScopeTypes kScopes{
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
    .components = "record_declaration",
    .hiding = "variable_declarator",
    .members = "member_access_expression.name member_binding_expression.name",
    .keys =
        "qualified_name+ attribute.name attribute_argument.name labeled_statement "
        "goto_statement namespace_declaration.name "
        "file_scoped_namespace_declaration.name",
    .apart = "using_directive",
    .arguments = "argument.name",
    .fields = "with_initializer- subpattern-",
    .unsure = "initializer_expression query_expression",
    .foreign = "attribute_list",
    .base_nodes = "base_list",
    .type_places =
        "variable_declaration.type parameter.type property_declaration.type "
        "method_declaration.returns local_function_statement.type object_creation_expression.type "
        "cast_expression.type declaration_pattern.type declaration_expression.type "
        "foreach_statement.type catch_declaration.type type_argument_list base_list "
        "array_type.type nullable_type.type type_parameter_constraint.type typeof_expression.type "
        "parameter_list.type",
    .own = "this base",
    .predefined = "record var dynamic nint nuint notnull unmanaged",
    .name_mark = "@",
    .name_finders = "GetField GetMethod GetProperty GetMember GetEvent",
    .path_finders = "GetType",
    .known_from = KnownFrom::kName,
    .loops = "foreach_statement",
    .bare_members = true,
    .has_unique_locals = true};

constexpr SignatureTypes kSignatures{
    .parameter_lists = "parameter_list",
    .argument_lists = "argument_list",
    .constructors = "constructor_declaration",
    .calls = "invocation_expression.function object_creation_expression.type",
    .callee_parts = "member_access_expression.name member_binding_expression.name generic_name",
    .attributes = "attribute_list",
    .has_overloads = true,
    .style = {.name_mark = ": "}};

constexpr std::string_view kBuiltins =
    "nameof var dynamic value args field notnull unmanaged managed global async await record get "
    "set init add remove when where yield partial required scoped file with and or not nint nuint "
    "Equals GetHashCode GetType MemberwiseClone ReferenceEquals ToString Finalize System "
    "Microsoft Console";
constexpr KnownNames kKnownNames{.builtins = kBuiltins, .members = {.case_mark = "."}};

constexpr ContainerTypes kContainers{
    .cases = "switch_statement switch_expression enum_declaration",
    .fields = "class_declaration struct_declaration record_declaration interface_declaration",
    .methods = "class_declaration struct_declaration record_declaration interface_declaration",
    .entries = "initializer_expression",
    .option_calls = "AddOption AddArgument AddCommand"};

constexpr LanguageFiles kFiles[] = {{"csharp", "cs csx"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"using "};

}  // namespace

constinit const Language kCSharp = {
    .ids = "csharp cs",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "c_sharp",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = "implicit_parameter",
    .sequences =
        "compilation_unit file_scoped_namespace_declaration declaration_list "
        "enum_member_declaration_list block switch_body switch_section initializer_expression",
    .parts = "finally_clause catch_clause",
    .function_values = kHasNone,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "using_directive",
    .import_words = kHasNone,
    .import_heads = "file_scoped_namespace_declaration",
    .has_local_imports = false,
    .modules = ModuleSystem::kCSharp,
    .standard_modules = kHasNone,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "using class struct interface enum",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "abstract as base bool break byte case catch char checked class const continue decimal "
        "default delegate do double else enum event explicit extern false finally fixed float for "
        "foreach goto if implicit in int interface internal is lock long namespace new null object "
        "operator out override params private protected public readonly ref return sbyte sealed "
        "short sizeof stackalloc static string struct switch this throw true try typeof uint ulong "
        "unchecked unsafe ushort using virtual void volatile while",
    .has_keyword_members = false};

}  // namespace redraft
