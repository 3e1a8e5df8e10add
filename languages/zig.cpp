#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;
constexpr auto kHoldsFunction = DefinitionTest::kHoldsFunction;

// A type is the value of a constant.
constexpr DefinitionType kDefinitions[] = {
    {"function_declaration"},
    {"variable_declaration", kType, kHoldsFunction, "", ""},
    {.node = "test_declaration", .name = "", .word = "test"}};

constexpr ScopeTypes kScopes{
    .functions = "function_declaration test_declaration comptime_declaration",
    .blocks =
        "block for_statement while_statement if_statement else_clause switch_case "
        "catch_expression if_expression errdefer_statement",
    .types = "struct_declaration enum_declaration union_declaration opaque_declaration",
    .here = "variable_declaration- payload payload- payload+",
    .around = "function_declaration.name",
    .parameters = "parameter.name",
    .parameter_lists = "parameter parameters",
    .member_declarations = "container_field.name",
    .members = "field_expression.member?object",
    .keys =
        "block_label break_label block_label- break_label- error_set_declaration "
        "error_set_declaration- error_set_declaration+",
    .fields = "field_expression.member?!object field_initializer-",
    .own = "self",
    .predefined = "_",
    .bare_members = true,
    .has_unique_locals = true};

constexpr SignatureTypes kSignatures{.parameter_lists = "parameters",
                                     .argument_lists = "call_expression",
                                     .calls = "call_expression.function",
                                     .callee_parts = "field_expression.member",
                                     .effects = "builtin_function",
                                     .style = {.passes_object = true}};

constexpr ContainerTypes kContainers{
    .cases = "switch_expression enum_declaration union_declaration error_set_declaration",
    .fields = "struct_declaration union_declaration initializer_list",
    .methods = "struct_declaration enum_declaration union_declaration opaque_declaration",
    .entries = "initializer_list"};

constexpr LanguageFiles kFiles[] = {{"zig", "zig zon"}};
constexpr CommentMarks kComments[] = {{"//"}};

}  // namespace

constinit const Language kZig = {
    .ids = "zig",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "zig",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = kHasNone,
    .sequences =
        "source_file struct_declaration enum_declaration union_declaration opaque_declaration "
        "error_set_declaration block switch_expression initializer_list",
    .parts = "else_clause",
    .function_values =
        "struct_declaration enum_declaration union_declaration opaque_declaration "
        "error_set_declaration",
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = kHasNone,
    .import_words = "@import",
    .import_heads = kHasNone,
    .has_local_imports = true,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kHasNone,
    .declaring_words = "const pub fn test",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "addrspace align allowzero and anyframe anytype asm async await break callconv catch "
        "comptime const continue defer else enum errdefer error export extern false fn for if "
        "inline linksection noalias noinline nosuspend null opaque or orelse packed pub resume "
        "return struct suspend switch test threadlocal true try undefined union unreachable "
        "usingnamespace var volatile while _",
    .has_keyword_members = false};

}  // namespace redraft
