#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kAlways = DefinitionTest::kAlways;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

constexpr DefinitionType kDefinitions[] = {{"rule_set", kEntry, kAlways, ""},
                                           {"media_statement", kEntry, kAlways, ""},
                                           {"supports_statement", kEntry, kAlways, ""},
                                           {"keyframes_statement", kEntry, kAlways, ""},
                                           {"at_rule", kEntry, kSeveralLines, ""}};

constexpr ContainerTypes kContainers{.fields = "rule_set", .entries = "rule_set"};

constexpr LanguageFiles kFiles[] = {{"css", "css"}};
constexpr CommentMarks kComments[] = {{"/*", "*/"}};

}  // namespace

constinit const Language kCss = {
    .ids = "css",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kData,
    .grammar = "css",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = "class_name id_name tag_name property_name function_name keyframes_name",
    .sequences = "stylesheet block keyframe_block_list",
    .parts = kHasNone,
    .function_values = kHasNone,
    .scopes = kHasNone,
    .containers = &kContainers,
    .signatures = kHasNone,
    .imports = "import_statement",
    .import_words = kHasNone,
    .import_heads = "charset_statement",
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
