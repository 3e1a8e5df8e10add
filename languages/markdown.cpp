#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kSection = DefinitionKind::kSection;
constexpr auto kHasHeading = DefinitionTest::kHasHeading;

constexpr DefinitionType kDefinitions[] = {{"section", kSection, kHasHeading, ""}};

constexpr LanguageFiles kFiles[] = {{"markdown", "md markdown"}};
constexpr CommentMarks kComments[] = {{"<!--", "-->"}};

}  // namespace

constinit const Language kMarkdown = {.ids = "markdown",
                                      .files = kFiles,
                                      .shared_family = kHasNone,
                                      .content = Content::kFencedProse,
                                      .grammar = "markdown",
                                      .definitions = kDefinitions,
                                      .wrappers = kHasNone,
                                      .lone_wrappers = kHasNone,
                                      .leading = kHasNone,
                                      .identifiers = kHasNone,
                                      .sequences = "document section list list_item block_quote",
                                      .parts = "document block_continuation",
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
