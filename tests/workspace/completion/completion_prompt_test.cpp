#include "workspace/completion/completion_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"
#include "workspace/completion/fill_format.h"

namespace redraft {
namespace {

using testing::HasSubstr;

std::string text_of(const std::vector<PromptPart>& parts) {
  std::string text;
  for (const PromptPart& part : parts) text += part.control ? "⟦" + part.text + "⟧" : part.text;
  return text;
}

const std::vector<std::string> kQwen = {"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>",
                                        "<|file_sep|>", "<|fim_pad|>"};

TEST(CompletionPrompt, IsInTheFormatOfTheModelsFamily) {
  const CompletionContext context{.file = "a.py", .prefix = "x = ", .suffix = "\ny\n"};
  EXPECT_EQ(text_of(*completion_prompt(*byte_tokenizer(kQwen), context)),
            "⟦<|fim_prefix|>⟧x = ⟦<|fim_suffix|>⟧\ny\n⟦<|fim_middle|>⟧");
  const auto star = byte_tokenizer({"<fim_prefix>", "<fim_suffix>", "<fim_middle>"});
  EXPECT_EQ(text_of(*completion_prompt(*star, context)),
            "⟦<fim_prefix>⟧x = ⟦<fim_suffix>⟧\ny\n⟦<fim_middle>⟧");
  const auto deep = byte_tokenizer({"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"});
  EXPECT_EQ(text_of(*completion_prompt(*deep, context)),
            "⟦<｜fim▁begin｜>⟧x = ⟦<｜fim▁hole｜>⟧\ny\n⟦<｜fim▁end｜>⟧");
}

TEST(CompletionPrompt, PutsTheSuffixFirstIfTheModelLearntItSo) {
  const std::vector<Snippet> snippets = {{"b.py", "def b():\n", 0}};
  CompletionContext context{.file = "a.py", .prefix = "x = ", .suffix = "\ny\n"};
  const auto of = [&](const std::vector<std::string>& specials) {
    return text_of(*completion_prompt(*byte_tokenizer(specials), context));
  };
  const std::vector<std::string> seed = {"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"};
  EXPECT_EQ(of(seed), "⟦<[fim-suffix]>⟧\ny\n⟦<[fim-prefix]>⟧x = ⟦<[fim-middle]>⟧");
  const std::vector<std::string> codestral = {"[PREFIX]", "[SUFFIX]"};
  EXPECT_EQ(of(codestral), "⟦[SUFFIX]⟧\ny\n⟦[PREFIX]⟧x = ");
  context.snippets = snippets;
  EXPECT_EQ(of(seed),
            "⟦<[fim-suffix]>⟧\ny\n⟦<[fim-prefix]>⟧# File: b.py\ndef b():\n"
            "# File: a.py\nx = ⟦<[fim-middle]>⟧");
  EXPECT_EQ(of(codestral), "⟦[SUFFIX]⟧\ny\n⟦[PREFIX]⟧+++++ b.py\ndef b():\n+++++ a.py\nx = ");
}

// Its tokens are StarCoder's, and its order is not.
TEST(CompletionPrompt, MellumIsKnownByItsName) {
  const auto tokenizer =
      byte_tokenizer({"<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>", "<reponame>"});
  const std::vector<Snippet> snippets = {{"b.py", "def b():\n", 0}};
  CompletionContext context{.file = "a.py", .prefix = "x", .suffix = "y", .snippets = snippets};
  const std::string files = "⟦<filename>⟧b.py\ndef b():\n⟦<filename>⟧a.py\n";
  EXPECT_EQ(text_of(*completion_prompt(*tokenizer, context)),
            files + "⟦<fim_prefix>⟧x⟦<fim_suffix>⟧y⟦<fim_middle>⟧");
  context.model = "Mellum 4b Base\n/models/m.gguf";
  EXPECT_EQ(text_of(*completion_prompt(*tokenizer, context)),
            files + "⟦<fim_suffix>⟧y⟦<fim_prefix>⟧x⟦<fim_middle>⟧");
}

TEST(FillFormat, SelectsByTheFileTokenAmongFormatsWithTheSameTokens) {
  const auto name_of = [](const std::vector<std::string>& more) {
    std::vector<std::string> specials = {"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"};
    specials.insert(specials.end(), more.begin(), more.end());
    return find_fill_format(*byte_tokenizer(specials), "any")->name;
  };
  EXPECT_EQ(name_of({}), "qwen");
  EXPECT_EQ(name_of({"<|file_sep|>"}), "qwen");
  EXPECT_EQ(name_of({"<|filename|>", "<|reponame|>"}), "granite");
  EXPECT_EQ(find_fill_format(
                *byte_tokenizer({"<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>"}), "")
                ->name,
            "starcoder");
  EXPECT_EQ(find_fill_format(*byte_tokenizer({"<|fim_prefix|>", "<|fim_suffix|>"}), ""), nullptr);
}

// Qwen3.5's vocabulary has the tokens of Qwen2.5-Coder, which does not make it a model that fills
// in.
TEST(FillFormat, IsNoneForAModelThatIsNotDocumentedToBeTrainedForIt) {
  const auto tokenizer = byte_tokenizer(kQwen, "qwen35");
  EXPECT_EQ(find_fill_format(*tokenizer, "Qwen3.6 35B A3B"), nullptr);
  EXPECT_TRUE(completion_ends(*tokenizer, "").empty());
  const auto filled = completion_prompt(*tokenizer, {.file = "a.py", .prefix = "x", .suffix = "y"});
  ASSERT_FALSE(filled);
  EXPECT_THAT(filled.error().message(), HasSubstr("do not document that it was trained"));
  EXPECT_THAT(filled.error().message(), HasSubstr("Set completion.model "));
  const auto continued =
      completion_prompt(*tokenizer, {.file = "a.py", .prefix = "x = ", .suffix = std::nullopt});
  EXPECT_EQ(text_of(*continued), "x = ");
}

TEST(FillFormat, IsNoneWhereTokensAreKeptFromModelsThatFillIn) {
  const auto mistral = byte_tokenizer({"[PREFIX]", "[SUFFIX]", "[MIDDLE]"}, "tekken");
  EXPECT_EQ(find_fill_format(*mistral, "Devstral Small 2 24B"), nullptr);
  const std::vector<std::string> seed = {"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"};
  EXPECT_EQ(find_fill_format(*byte_tokenizer(seed, "seed-coder"), "Seed-OSS 36B Instruct"),
            nullptr);
  EXPECT_EQ(find_fill_format(*byte_tokenizer(seed, "seed-coder"), "Seed-Coder 8B Base")->name,
            "seed-coder");
  for (const char* name : {"gpt-4o", "qwen2"}) {
    const auto filled = completion_prompt(*byte_tokenizer({"<|return|>"}, name),
                                          {.file = "a.py", .prefix = "x", .suffix = "y"});
    ASSERT_FALSE(filled);
    EXPECT_THAT(filled.error().message(), HasSubstr("Set completion.model "));
  }
}

TEST(SpelledFill, IsReadInEitherOrder) {
  const auto read = [](std::string_view prompt) {
    const auto fill = read_spelled_fill(prompt);
    return fill ? std::string(fill->prefix) + "|" + std::string(fill->suffix) : "none";
  };
  EXPECT_EQ(read("<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>"), "a|b");
  EXPECT_EQ(read("<fim_suffix>b<fim_prefix>a<fim_middle>"), "a|b");
  EXPECT_EQ(read("<[fim-suffix]>b<[fim-prefix]>a<[fim-middle]>"), "a|b");
  EXPECT_EQ(read("[SUFFIX]b[PREFIX]a"), "a|b");
  EXPECT_EQ(read("<|fim_prefix|><|fim_suffix|><|fim_middle|>"), "|");
  EXPECT_EQ(read("<|fim_prefix|>a<|fim_suffix|>b<|fim_suffix|>c<|fim_middle|>"), "none");
  EXPECT_EQ(read("<|fim_prefix|>a<|fim_middle|>b<|fim_suffix|>"), "none");
  EXPECT_EQ(read("x[SUFFIX]b[PREFIX]a"), "none");
  EXPECT_EQ(read("<|fim_suffix|>b<|fim_middle|>"), "none");
}

TEST(CompletionPrompt, SnippetsComeBeforeTheFile) {
  const std::vector<Snippet> snippets = {{"b.py", "def b():\n", 0}, {"c.py", "def c():\n", 0}};
  CompletionContext context{.file = "a.py", .prefix = "x = ", .suffix = "\n", .snippets = snippets};
  EXPECT_EQ(text_of(*completion_prompt(*byte_tokenizer(kQwen), context)),
            "⟦<|file_sep|>⟧b.py\ndef b():\n⟦<|file_sep|>⟧c.py\ndef c():\n⟦<|file_sep|>⟧a.py\n"
            "⟦<|fim_prefix|>⟧x = ⟦<|fim_suffix|>⟧\n⟦<|fim_middle|>⟧");
  context.suffix.reset();
  EXPECT_EQ(text_of(*completion_prompt(*byte_tokenizer(), context)),
            "# File: b.py\ndef b():\n# File: c.py\ndef c():\n# File: a.py\nx = ");
  context.snippets = {};
  EXPECT_EQ(text_of(*completion_prompt(*byte_tokenizer(), context)), "x = ");
}

TEST(CompletionPrompt, FailsWithoutFillInTokens) {
  const auto prompt =
      completion_prompt(*byte_tokenizer(), {.file = "", .prefix = "", .suffix = ""});
  ASSERT_FALSE(prompt);
  EXPECT_THAT(prompt.error().message(), HasSubstr("has no fill-in-the-middle tokens. Set "));
}

TEST(CompletionPrompt, EndsWhereTheModelBeginsSomethingElse) {
  EXPECT_EQ(completion_ends(*byte_tokenizer(kQwen), "").size(), 5U);
  EXPECT_TRUE(completion_ends(*byte_tokenizer(), "").empty());
}

}  // namespace
}  // namespace redraft
