#include "languages/rows.h"
#include "languages/script_family.h"

namespace redraft {
namespace {

constexpr ScopeTypes kScopes = typed_script_scopes();
constexpr SignatureTypes kSignatures = script_signatures({.may_lack = false});

constexpr LanguageFiles kFiles[] = {{"typescriptreact", "tsx"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kTsx = {
    .ids = "typescriptreact typescript.tsx",
    .files = kFiles,
    .shared_family = "script",
    .content = Content::kCode,
    .grammar = "tsx",
    .definitions = kTypeScriptDefinitions,
    .wrappers = kScriptWrappers,
    .lone_wrappers = kScriptLoneWrappers,
    .leading = kScriptLeading,
    .identifiers = kScriptIdentifiers,
    .sequences = kScriptSequences,
    .parts = "else_clause finally_clause catch_clause jsx_opening_element jsx_closing_element",
    .function_values = kScriptFunctionValues,
    .scopes = &kScopes,
    .containers = &kScriptContainers,
    .signatures = &kSignatures,
    .imports = "import_statement",
    .import_words = "require",
    .import_heads = "hash_bang_line",
    .has_local_imports = false,
    .modules = ModuleSystem::kScript,
    .standard_modules = &kScriptStandardModules,
    .known_names = &kScriptKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "import class function interface enum",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = true,
    .keywords = kScriptKeywords,
    .has_keyword_members = true};

}  // namespace redraft
