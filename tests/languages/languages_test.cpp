#include "languages/languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <type_traits>

#include "text/strings/word_list.h"

namespace redraft {
namespace {

// A row that omits a fact does not compile, and neither does one that states it by "".
static_assert(!std::is_default_constructible_v<Fact<std::string_view>>);
static_assert(!std::is_default_constructible_v<Fact<bool>>);
static_assert(!std::is_default_constructible_v<Language>);
static_assert(!std::is_constructible_v<Fact<std::string_view>, const char (&)[1]>);

std::vector<std::string_view> words_in(const Language& language) {
  std::vector<std::string_view> all;
  for (const std::string_view list :
       {*language.ids, *language.wrappers, *language.lone_wrappers, *language.leading,
        *language.identifiers, *language.sequences, *language.parts, *language.function_values,
        *language.imports, *language.import_words, *language.import_heads,
        *language.declaring_words, *language.block_words, *language.closing_words,
        *language.keywords})
    for (const std::string_view word : split_words(list)) all.push_back(word);
  for (const LanguageFiles& files : *language.files) {
    for (const std::string_view list : {files.endings, files.names})
      for (const std::string_view word : split_words(list)) all.push_back(word);
  }
  return all;
}

TEST(Languages, ListsHaveOneSpaceBetweenWords) {
  for (const Language* language : languages()) {
    for (const std::string_view word : words_in(*language))
      EXPECT_FALSE(word.empty()) << language->id();
    // Two literals that are joined without a space are one long word.
    for (const std::string_view word : split_words(*language->keywords))
      EXPECT_LT(word.size(), 17U) << language->id() << ": " << word;
  }
}

TEST(Languages, ShareNoIdAndNoFileName) {
  std::map<std::string_view, int> ids, endings, names;
  for (const Language* language : languages()) {
    for (const std::string_view id : split_words(*language->ids)) ++ids[id];
    for (const LanguageFiles& files : *language->files) {
      EXPECT_TRUE(has_word(*language->ids, files.id)) << files.id;
      for (const std::string_view ending : split_words(files.endings)) ++endings[ending];
      for (const std::string_view name : split_words(files.names)) ++names[name];
    }
  }
  for (const auto* all : {&ids, &endings, &names}) {
    for (const auto& [word, count] : *all) EXPECT_EQ(count, 1) << word;
  }
}

TEST(Languages, WithAGrammarStateWhatEditsNeed) {
  for (const Language* language : languages()) {
    EXPECT_TRUE(!language->has_grammar() || !language->definitions->empty()) << language->id();
    EXPECT_TRUE(!language->has_grammar() || !language->comments->empty()) << language->id();
    EXPECT_TRUE(!language->has_grammar() || !language->sequences->empty()) << language->id();
    const bool is_complete_code = language->has_grammar() && language->is_code();
    EXPECT_EQ(is_complete_code, !language->keywords->empty()) << language->id();
    EXPECT_EQ(*language->scopes == nullptr, *language->signatures == nullptr) << language->id();
  }
}

TEST(Languages, AreFoundByTheirFiles) {
  EXPECT_EQ(language_of("src/a.py"), "python");
  EXPECT_EQ(language_of("a.PYI"), "python");
  EXPECT_EQ(language_of("a.h"), "cpp");
  EXPECT_EQ(language_of("kernel.cu"), "cuda-cpp");
  EXPECT_EQ(language_of("b/App.jsx"), "javascriptreact");
  EXPECT_EQ(language_of("tsconfig.jsonc"), "jsonc");
  EXPECT_EQ(language_of("home/.bashrc"), "shellscript");
  EXPECT_EQ(language_of("Rakefile"), "ruby");
  EXPECT_EQ(language_of("a/CMakeLists.txt"), "cmake");
  EXPECT_EQ(language_of("main.zig"), "zig");
  for (const char* path : {"", "a", "a.txt", "py", "a.", ".py/a", "a.h b", "a.py ", "a.c cpp"})
    EXPECT_EQ(language_of(path), "") << path;
}

TEST(Languages, AreFoundByEachOfTheirIds) {
  EXPECT_EQ(find_language("sh"), find_language("shellscript"));
  EXPECT_EQ(find_language("cuda")->id(), "cpp");
  for (const char* id : {"", " ", "shellscript sh", "p", "brainfuck"})
    EXPECT_EQ(find_language(id), nullptr) << id;
}

TEST(Languages, OfOneFamilyCallEachOther) {
  EXPECT_EQ(family_of("c"), family_of("cuda-cpp"));
  EXPECT_EQ(family_of("javascript"), family_of("typescriptreact"));
  EXPECT_NE(family_of("java"), family_of("javascript"));
  EXPECT_EQ(family_of("brainfuck"), "brainfuck");
}

TEST(Languages, HaveKeywords) {
  EXPECT_TRUE(is_keyword("python", "class"));
  EXPECT_FALSE(is_keyword("python", "match"));
  EXPECT_FALSE(is_keyword("python", "fn"));
  EXPECT_TRUE(is_keyword("cuda", "template"));
  EXPECT_FALSE(is_keyword("c", "template"));
  EXPECT_FALSE(is_keyword("plaintext", "class"));
  EXPECT_FALSE(is_keyword("python", ""));
  EXPECT_FALSE(is_keyword("python", "if import"));
}

TEST(Languages, TogetherHaveEachWordOnce) {
  EXPECT_THAT(words_of_all(&Language::closing_words),
              testing::UnorderedElementsAre("fi", "done", "esac", "end"));
}

}  // namespace
}  // namespace redraft
