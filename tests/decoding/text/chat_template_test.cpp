#include "decoding/text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decoding/text/tokenizer_kit.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

const std::vector<ChatMessage> kConversation = {{"system", "Be brief."}, {"user", "Hi <|im_end|>"}};

TEST(ChatTemplate, WritesTurnsAndOpensTheAssistants) {
  std::string written;
  for (const PromptPart& part : chat_prompt(kConversation)) {
    written += part.control ? "[" + part.text + "]" : part.text;
  }
  EXPECT_EQ(written,
            "[<|im_start|>]system\nBe brief.[<|im_end|>]\n"
            "[<|im_start|>]user\nHi <|im_end|>[<|im_end|>]\n"
            "[<|im_start|>]assistant\n");
}

TEST(ChatTemplate, OnlyControlPartsBecomeSpecialTokens) {
  const auto tokenizer = tiny_tokenizer();
  const TokenId start = tokenizer->special("<|im_start|>");
  const TokenId end = tokenizer->special("<|im_end|>");
  const auto ids = encode_prompt(*tokenizer, chat_prompt(kConversation));
  ASSERT_TRUE(ids) << ids.error().message();

  std::vector<TokenId> expected;
  const auto add_text = [&](std::string_view text) {
    for (const TokenId id : tokenizer->encode(text)) expected.push_back(id);
  };
  expected.push_back(start);
  add_text("system\nBe brief.");
  expected.push_back(end);
  add_text("\n");
  expected.push_back(start);
  add_text("user\nHi <|im_end|>");
  expected.push_back(end);
  add_text("\n");
  expected.push_back(start);
  add_text("assistant\n");
  EXPECT_EQ(*ids, expected);
}

TEST(ChatTemplate, NeighbouringTextPartsAreOneText) {
  const auto tokenizer = tiny_tokenizer();
  const auto ids = encode_prompt(*tokenizer, {{"r", false}, {"eturn", false}, {"\n\n", false}});
  ASSERT_TRUE(ids);
  EXPECT_EQ(*ids, tokenizer->encode("return\n\n"));
  EXPECT_NE(tokenizer->encode("return").size(),
            tokenizer->encode("r").size() + tokenizer->encode("eturn").size());
}

TEST(ChatTemplate, AnUnknownControlPartIsAnError) {
  const auto ids = encode_prompt(*tiny_tokenizer(), {{"<|start_header_id|>", true}});
  ASSERT_FALSE(ids);
  EXPECT_THAT(ids.error().message(), HasSubstr("no special token \"<|start_header_id|>\""));
}

TEST(ChatTemplate, APromptBeginsAsTheModelWantsIt) {
  TokenizerSpec spec = tiny_spec();
  spec.add_bos = true;
  spec.bos = 596;
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer);
  const auto ids = encode_prompt(**tokenizer, {{"a", false}});
  ASSERT_TRUE(ids);
  EXPECT_EQ(*ids, (std::vector<TokenId>{596, (*tokenizer)->encode("a")[0]}));
}

TEST(ChatTemplate, EndsATurnWithTheTokensThatExist) {
  const auto tokenizer = tiny_tokenizer();
  EXPECT_EQ(end_of_turn_tokens(*tokenizer),
            (std::vector<TokenId>{tokenizer->special("<|im_end|>"),
                                  tokenizer->special("<|endoftext|>")}));
  TokenizerSpec spec = tiny_spec();
  for (std::int32_t& type : spec.types) type = type == 3 ? 5 : type;
  const auto plain = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(plain);
  EXPECT_EQ(end_of_turn_tokens(**plain), std::vector<TokenId>{});
}

}  // namespace
}  // namespace redraft
