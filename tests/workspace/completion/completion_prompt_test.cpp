#include "workspace/completion/completion_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"

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

TEST(CompletionPrompt, WithoutTheTokensThereIsNoFillingIn) {
  const auto prompt =
      completion_prompt(*byte_tokenizer(), {.file = "", .prefix = "", .suffix = ""});
  ASSERT_FALSE(prompt);
  EXPECT_THAT(prompt.error().message(), HasSubstr("fill-in-the-middle"));
}

TEST(CompletionPrompt, EndsWhereTheModelBeginsSomethingElse) {
  EXPECT_EQ(completion_ends(*byte_tokenizer(kQwen)).size(), 5U);
  EXPECT_TRUE(completion_ends(*byte_tokenizer()).empty());
}

}  // namespace
}  // namespace redraft
