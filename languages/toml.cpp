#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kAlways = DefinitionTest::kAlways;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

constexpr DefinitionType kDefinitions[] = {{"table", kEntry, kAlways, ""},
                                           {"table_array_element", kEntry, kAlways, ""},
                                           {"pair", kEntry, kSeveralLines, ""}};

constexpr ContainerTypes kContainers{.fields = "table inline_table table_array_element",
                                     .entries = "array table inline_table table_array_element"};

constexpr LanguageFiles kFiles[] = {{"toml", "toml"}};
constexpr CommentMarks kComments[] = {{"#"}};

}  // namespace

constinit const Language kToml = {.ids = "toml",
                                  .files = kFiles,
                                  .shared_family = kHasNone,
                                  .content = Content::kData,
                                  .grammar = "toml",
                                  .definitions = kDefinitions,
                                  .wrappers = kHasNone,
                                  .lone_wrappers = kHasNone,
                                  .leading = "comment",
                                  .identifiers = "bare_key",
                                  .sequences = "document table table_array_element array",
                                  .parts = "document",
                                  .function_values = kHasNone,
                                  .scopes = kHasNone,
                                  .containers = &kContainers,
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
