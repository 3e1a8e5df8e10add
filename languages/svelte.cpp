#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

constexpr DefinitionType kDefinitions[] = {{"element", kEntry, kSeveralLines, ""},
                                           {"script_element", kEntry, kSeveralLines, ""},
                                           {"style_element", kEntry, kSeveralLines, ""}};

constexpr LanguageFiles kFiles[] = {{"svelte", "svelte"}};
constexpr CommentMarks kComments[] = {{"<!--", "-->"}};

}  // namespace

constinit const Language kSvelte = {
    .ids = "svelte",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kData,
    .grammar = "svelte",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = "tag_name attribute_name",
    .sequences =
        "document element if_statement else_block else_if_block each_statement await_statement "
        "key_statement snippet_statement",
    .parts =
        "start_tag end_tag text if_start if_end else_block else_if_block each_start each_end "
        "await_start await_end key_start key_end snippet_start snippet_end",
    .function_values = kHasNone,
    .scopes = kHasNone,
    .containers = kHasNone,
    .signatures = kHasNone,
    .imports = kHasNone,
    .import_words = kHasNone,
    .import_heads = kHasNone,
    .has_local_imports = false,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kHasNone,
    .declaring_words = kHasNone,
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords = kHasNone,
    .has_keyword_members = false};

}  // namespace redraft
