#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

constexpr DefinitionType kDefinitions[] = {{"pair", kEntry, kSeveralLines, "key"}};

constexpr ContainerTypes kContainers{.fields = "object", .entries = "array object"};

constexpr LanguageFiles kFiles[] = {{"json", "json"}, {"jsonc", "jsonc"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};

}  // namespace

constinit const Language kJson = {.ids = "json jsonc",
                                  .files = kFiles,
                                  .shared_family = kHasNone,
                                  .content = Content::kData,
                                  .grammar = "json",
                                  .definitions = kDefinitions,
                                  .wrappers = kHasNone,
                                  .lone_wrappers = kHasNone,
                                  .leading = "comment",
                                  .identifiers = kHasNone,
                                  .sequences = "document object array",
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
