#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kHoldsFunction = DefinitionTest::kHoldsFunction;

constexpr DefinitionType kDefinitions[] = {
    {"function_declaration"},
    {"assignment_statement", kFunction, kHoldsFunction, "", ""},
    {"field", kFunction, kHoldsFunction}};

constexpr ContainerTypes kContainers{.cases = "if_statement?alternative",
                                     .fields = "table_constructor",
                                     .methods = "table_constructor",
                                     .entries = "table_constructor",
                                     .option_calls = "option flag argument"};

constexpr LanguageFiles kFiles[] = {{"lua", "lua"}};
constexpr CommentMarks kComments[] = {{"--"}};
constexpr std::string_view kImportLines[] = {"require ", "require("};

}  // namespace

constinit const Language kLua = {.ids = "lua",
                                 .files = kFiles,
                                 .shared_family = kHasNone,
                                 .content = Content::kCode,
                                 .grammar = "lua",
                                 .definitions = kDefinitions,
                                 .wrappers = kHasNone,
                                 .lone_wrappers = "variable_declaration",
                                 .leading = "comment",
                                 .identifiers = kHasNone,
                                 .sequences = "chunk block table_constructor",
                                 .parts = "elseif_statement else_statement",
                                 .function_values = "function_definition",
                                 .scopes = kHasNone,
                                 .containers = &kContainers,
                                 .signatures = kHasNone,
                                 .imports = kHasNone,
                                 .import_words = "require",
                                 .import_heads = "hash_bang_line",
                                 .has_local_imports = true,
                                 .modules = ModuleSystem::kUnknown,
                                 .standard_modules = kHasNone,
                                 .known_names = kHasNone,
                                 .import_lines = kImportLines,
                                 .declaring_words = "require function",
                                 .comments = kComments,
                                 .block_words = "do then else begin",
                                 .closing_words = "end",
                                 .indented_blocks = kHasNone,
                                 .has_ellipsis_statement = false,
                                 .has_optional_types = true,
                                 .keywords =
                                     "and break do else elseif end false for function goto if in "
                                     "local nil not or repeat return then true until while",
                                 .has_keyword_members = false};

}  // namespace redraft
