#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kEntry = DefinitionKind::kEntry;
constexpr auto kSeveralLines = DefinitionTest::kSeveralLines;

// The labels are part of a block's name: resource "aws_vpc" "main".
constexpr DefinitionType kDefinitions[] = {
    {.node = "block", .kind = kEntry, .name = "", .word = "block", .name_end = "block_start"},
    {"attribute", kEntry, kSeveralLines, ""},
    {"object_elem", kEntry, kSeveralLines, "key"}};

constexpr ContainerTypes kContainers{.fields = "block object", .entries = "object tuple block"};

constexpr LanguageFiles kFiles[] = {
    {"terraform", "tf"}, {"terraform-vars", "tfvars"}, {"hcl", "hcl nomad"}};
constexpr CommentMarks kComments[] = {{"#"}, {"//"}, {"/*", "*/"}};

}  // namespace

constinit const Language kHcl = {.ids = "terraform hcl terraform-vars opentofu opentofu-vars",
                                 .files = kFiles,
                                 .shared_family = kHasNone,
                                 .content = Content::kData,
                                 .grammar = "hcl",
                                 .definitions = kDefinitions,
                                 .wrappers = kHasNone,
                                 .lone_wrappers = kHasNone,
                                 .leading = "comment",
                                 .identifiers = kHasNone,
                                 .sequences = "config_file body object tuple",
                                 .parts = "body",
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
