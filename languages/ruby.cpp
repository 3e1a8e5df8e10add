#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;
constexpr auto kModule = DefinitionKind::kModule;
constexpr auto kAlways = DefinitionTest::kAlways;

constexpr DefinitionType kDefinitions[] = {{"method"},
                                           {"singleton_method"},
                                           {"class", kType},
                                           {"singleton_class", kType, kAlways, "value"},
                                           {"module", kModule}};

constexpr ContainerTypes kContainers{.cases = "case case_match",
                                     .fields = "class hash",
                                     .methods = "class module",
                                     .entries = "hash array",
                                     .option_calls = "on option"};

constexpr LanguageFiles kFiles[] = {{"ruby", "rb rake gemspec", "rakefile gemfile"}};
constexpr CommentMarks kComments[] = {{"#"}};
constexpr std::string_view kImportLines[] = {"require ", "require(", "require_relative "};

}  // namespace

constinit const Language kRuby = {
    .ids = "ruby",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "ruby",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = "constant instance_variable class_variable global_variable",
    .sequences =
        "program body_statement block_body begin case then else ensure rescue do hash array",
    .parts = "then else elsif rescue ensure",
    .function_values = "class",
    .scopes = kHasNone,
    .containers = &kContainers,
    .signatures = kHasNone,
    .imports = kHasNone,
    .import_words = "require require_relative",
    .import_heads = kHasNone,
    .has_local_imports = true,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kImportLines,
    .declaring_words = "require class def",
    .comments = kComments,
    .block_words = "do then else begin",
    .closing_words = "end",
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = true,
    .keywords =
        "BEGIN END alias and begin break case class def defined? do else elsif end ensure false "
        "for if in module next nil not or redo rescue retry return self super then true undef "
        "unless until when while yield __FILE__ __LINE__ __ENCODING__",
    .has_keyword_members = false};

}  // namespace redraft
