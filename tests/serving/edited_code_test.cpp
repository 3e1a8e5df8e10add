#include "serving/edited_code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kit/byte_tokenizer.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

// A conversation whose parts in "<|…|>" are control tokens.
std::vector<TokenId> prompt_of(const Tokenizer& tokenizer, std::string text) {
  std::vector<PromptPart> parts;
  while (!text.empty()) {
    const bool control = text.starts_with("<|");
    const std::size_t end = control ? text.find("|>") + 2 : std::min(text.find("<|"), text.size());
    parts.push_back({text.substr(0, end), control});
    text.erase(0, end);
  }
  return *encode_prompt(tokenizer, parts);
}

std::string edited_in(const std::string& text) {
  const auto tokenizer = byte_tokenizer();
  const std::vector<TokenId> prompt = prompt_of(*tokenizer, text);
  return tokenizer->decode(edited_code(*tokenizer, prompt));
}

TEST(EditedCode, IsWhatStandsInTheLastBlock) {
  EXPECT_EQ(edited_in("<|im_start|>user\nEdit these lines:\n```python\na = 1\nb = 2\n```\n\n"
                      "Instruction: rename a<|im_end|>\n<|im_start|>assistant\n```python\n"),
            "a = 1\nb = 2\n");
  EXPECT_EQ(edited_in("```\nan example\n```\nNow edit:\n```\nthis\n```\n"), "this\n");
}

TEST(EditedCode, MayHoldShorterFences) {
  EXPECT_EQ(edited_in("````md\nText.\n```\ncode\n```\n````\n"), "Text.\n```\ncode\n```\n");
}

// The block that the assistant's turn begins with is the answer's, and inline code is no block.
TEST(EditedCode, IsNoBlockThatIsOpenOrInALine) {
  EXPECT_EQ(edited_in("```python\na = 1\n"), "");
  EXPECT_EQ(edited_in("``` and ``` are marks\na\n```\n"), "");
  EXPECT_EQ(edited_in("```a`b\nx\n```\n"), "");
  EXPECT_EQ(edited_in("``\nx\n``\n"), "");
  EXPECT_EQ(edited_in("```\n```\n"), "");
  EXPECT_EQ(edited_in(""), "");
}

// What one turn leaves open is not closed by the next one.
TEST(EditedCode, EndsWithItsTurn) {
  EXPECT_EQ(edited_in("<|im_start|>user\n```\nopen\n<|im_end|>\n<|im_start|>user\n```\nb\n```\n"
                      "<|im_end|>"),
            "b\n");
}

// A token across the end of the block is not of it.
TEST(EditedCode, ConsistsOfWholeTokens) {
  const auto tokenizer = word_tokenizer({"\n```"});
  const std::vector<TokenId> prompt = tokenizer->encode("```py\nab\n```\n");
  const auto code = edited_code(*tokenizer, prompt);
  EXPECT_TRUE(std::string("ab\n").starts_with(tokenizer->decode(code)));
}

}  // namespace
}  // namespace redraft
