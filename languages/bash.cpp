#include "languages/rows.h"

namespace redraft {
namespace {

constexpr DefinitionType kDefinitions[] = {{"function_definition"}};

constexpr ContainerTypes kContainers{.cases = "case_statement", .entries = "array"};

constexpr LanguageFiles kFiles[] = {{"shellscript", "sh bash", ".bashrc .bash_profile .profile"}};
constexpr CommentMarks kComments[] = {{"#"}};

}  // namespace

constinit const Language kBash = {
    .ids = "shellscript sh bash",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kShell,
    .grammar = "bash",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = "variable_name",
    .sequences =
        "program compound_statement do_group if_statement else_clause elif_clause case_statement "
        "case_item subshell",
    .parts = "else_clause elif_clause",
    .function_values = "function_definition",
    .scopes = kHasNone,
    .containers = &kContainers,
    .signatures = kHasNone,
    .imports = kHasNone,
    .import_words = "source .",
    .import_heads = kHasNone,
    .has_local_imports = true,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kHasNone,
    .declaring_words = "function",
    .comments = kComments,
    .block_words = "do then else begin",
    .closing_words = "fi done esac",
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "case coproc do done elif else esac fi for function if in select then time until while",
    .has_keyword_members = false};

}  // namespace redraft
