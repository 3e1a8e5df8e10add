#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

constexpr DefinitionType kDefinitions[] = {{"element", kEntry, kSeveralLines, ""},
                                           {"template_element", kEntry, kSeveralLines, ""},
                                           {"script_element", kEntry, kSeveralLines, ""},
                                           {"style_element", kEntry, kSeveralLines, ""}};

constexpr LanguageFiles kFiles[] = {{"vue", "vue"}};
constexpr CommentMarks kComments[] = {{"<!--", "-->"}};

}  // namespace

constinit const Language kVue = {.ids = "vue",
                                 .files = kFiles,
                                 .shared_family = kHasNone,
                                 .content = Content::kData,
                                 .grammar = "vue",
                                 .definitions = kDefinitions,
                                 .wrappers = kHasNone,
                                 .lone_wrappers = kHasNone,
                                 .leading = "comment",
                                 .identifiers = "tag_name attribute_name",
                                 .sequences = "component template_element element",
                                 .parts = "start_tag end_tag text",
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
