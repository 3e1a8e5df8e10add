#include "languages/known_by_name.h"

namespace redraft {
namespace {

struct Named {
  Fact<std::string_view> id;
  Fact<std::span<const LanguageFiles>> files;
  Fact<Content> content;
  Fact<std::span<const CommentMarks>> comments;
  bool has_tab_recipes = false;
};

constexpr Language without_grammar(const Named& named) {
  return {.ids = named.id,
          .files = named.files,
          .shared_family = kHasNone,
          .content = named.content,
          .grammar = kHasNone,
          .definitions = kHasNone,
          .wrappers = kHasNone,
          .lone_wrappers = kHasNone,
          .leading = kHasNone,
          .identifiers = kHasNone,
          .sequences = kHasNone,
          .parts = kHasNone,
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
          .comments = named.comments,
          .block_words = kHasNone,
          .closing_words = kHasNone,
          .indented_blocks = kHasNone,
          .has_ellipsis_statement = false,
          .has_optional_types = false,
          .keywords = kHasNone,
          .has_keyword_members = false,
          .has_tab_recipes = named.has_tab_recipes};
}

constexpr LanguageFiles kCMake[] = {{"cmake", "", "cmakelists.txt"}};
constexpr LanguageFiles kDart[] = {{"dart", "dart"}};
constexpr LanguageFiles kDockerfile[] = {{"dockerfile", "", "dockerfile"}};
constexpr LanguageFiles kElixir[] = {{"elixir", "ex exs"}};
constexpr LanguageFiles kHaskell[] = {{"haskell", "hs"}};
constexpr LanguageFiles kMakefile[] = {{"makefile", "", "makefile gnumakefile"}};
constexpr LanguageFiles kPerl[] = {{"perl", "pl"}};
constexpr LanguageFiles kProto[] = {{"proto3", "proto"}};
constexpr LanguageFiles kR[] = {{"r", "r"}};
constexpr LanguageFiles kScss[] = {{"scss", "scss"}};
constexpr LanguageFiles kSql[] = {{"sql", "sql"}};
constexpr LanguageFiles kXml[] = {{"xml", "xml"}};

constexpr CommentMarks kHash[] = {{"#"}};
constexpr CommentMarks kSlashes[] = {{"//"}, {"/*", "*/"}};
constexpr CommentMarks kDashes[] = {{"--"}, {"{-", "-}"}};
constexpr CommentMarks kDashesOrBlock[] = {{"--"}, {"/*", "*/"}};
constexpr CommentMarks kAngles[] = {{"<!--", "-->"}};
constexpr CommentMarks kPercent[] = {{"%"}};

constexpr Language kAll[] = {
    without_grammar({"cmake", kCMake, Content::kCode, kHash}),
    without_grammar({"dart", kDart, Content::kCode, kSlashes}),
    without_grammar({"dockerfile", kDockerfile, Content::kCode, kHash}),
    without_grammar({"elixir", kElixir, Content::kCode, kHash}),
    without_grammar({"haskell", kHaskell, Content::kCode, kDashes}),
    without_grammar({"latex", kHasNone, Content::kProse, kPercent}),
    without_grammar({"makefile", kMakefile, Content::kCode, kHash, true}),
    without_grammar({"perl", kPerl, Content::kCode, kHash}),
    without_grammar({"plaintext", kHasNone, Content::kProse, kHasNone}),
    without_grammar({"proto3", kProto, Content::kCode, kSlashes}),
    without_grammar({"r", kR, Content::kCode, kHash}),
    without_grammar({"scss", kScss, Content::kData, kSlashes}),
    without_grammar({"sql", kSql, Content::kCode, kDashesOrBlock}),
    without_grammar({"xml", kXml, Content::kData, kAngles}),
};

}  // namespace

std::span<const Language> languages_known_by_name() { return kAll; }

}  // namespace redraft
