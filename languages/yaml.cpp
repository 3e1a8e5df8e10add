#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

constexpr DefinitionType kDefinitions[] = {{"block_mapping_pair", kEntry, kSeveralLines, "key"}};

constexpr ContainerTypes kContainers{
    .fields = "block_mapping flow_mapping",
    .entries = "block_sequence flow_sequence block_mapping flow_mapping"};

constexpr LanguageFiles kFiles[] = {{"yaml", "yaml yml", ".clang-format .clang-tidy"}};
constexpr CommentMarks kComments[] = {{"#"}};

}  // namespace

constinit const Language kYaml = {.ids = "yaml",
                                  .files = kFiles,
                                  .shared_family = kHasNone,
                                  .content = Content::kData,
                                  .grammar = "yaml",
                                  .definitions = kDefinitions,
                                  .wrappers = kHasNone,
                                  .lone_wrappers = kHasNone,
                                  .leading = "comment",
                                  .identifiers = "anchor_name alias_name",
                                  .sequences = "stream block_mapping block_sequence",
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
