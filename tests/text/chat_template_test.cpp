#include "text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/text/tokenizer_kit.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

const std::vector<ChatMessage> kConversation = {{"system", "Be brief."}, {"user", "Hi <|im_end|>"}};

std::shared_ptr<const Tokenizer> tokenizer_with(const std::string& chat_template) {
  TokenizerSpec spec = tiny_spec();
  spec.chat_template = chat_template;
  return *Tokenizer::make(std::move(spec));
}

// Control parts in brackets.
std::string written(const Tokenizer& tokenizer, const std::vector<ChatMessage>& messages) {
  const auto parts = chat_prompt(tokenizer, messages);
  if (!parts) return parts.error().message();
  std::string text;
  for (const PromptPart& part : *parts) text += part.control ? "[" + part.text + "]" : part.text;
  return text;
}

TEST(ChatTemplate, WritesTurnsAndOpensTheAssistants) {
  const std::string chat_ml =
      "[<|im_start|>]system\nBe brief.[<|im_end|>]\n"
      "[<|im_start|>]user\nHi <|im_end|>[<|im_end|>]\n"
      "[<|im_start|>]assistant\n";
  EXPECT_EQ(written(*tiny_tokenizer(), kConversation), chat_ml);
  EXPECT_EQ(written(*tokenizer_with("{{'<|im_start|>' + role}}{{'<|im_end|>'}}"), kConversation),
            chat_ml);
}

TEST(ChatTemplate, WritesTheTurnsOfLlama3) {
  const auto tokenizer = tokenizer_with(
      "{{'<|start_header_id|>' + role + '<|end_header_id|>\n\n' + content | trim + '<|eot_id|>'}}");
  EXPECT_EQ(written(*tokenizer, {{"system", " Be brief.\n"}, {"user", "Hi <|eot_id|>"}}),
            "[<|start_header_id|>]system[<|end_header_id|>]\n\nBe brief.[<|eot_id|>]"
            "[<|start_header_id|>]user[<|end_header_id|>]\n\nHi <|eot_id|>[<|eot_id|>]"
            "[<|start_header_id|>]assistant[<|end_header_id|>]\n\n");
}

TEST(ChatTemplate, WritesTheTurnsOfDeepSeekCoder) {
  const auto tokenizer =
      tokenizer_with("{{'### Instruction:\n' + text}}{{'### Response:\n' + text + '\n<|EOT|>\n'}}");
  EXPECT_EQ(
      written(*tokenizer,
              {{"system", "Be brief.\n"}, {"user", "Hi"}, {"assistant", "Ho"}, {"user", "Hu"}}),
      "Be brief.\n### Instruction:\nHi\n### Response:\nHo\n[<|EOT|>]\n"
      "### Instruction:\nHu\n### Response:\n");
}

TEST(ChatTemplate, WithoutARendererTheVocabularyDecidesOnAnUnknownOne) {
  const std::string unknown = "{{'[INST] ' + content + ' [/INST]'}}";
  EXPECT_EQ(written(*tokenizer_with(unknown), kConversation),
            written(*tiny_tokenizer(), kConversation));
  TokenizerSpec spec = tiny_spec();
  for (std::int32_t& type : spec.types) type = type == 3 ? 5 : type;
  EXPECT_THAT(written(**Tokenizer::make(spec), kConversation),
              HasSubstr("the model has no chat template that redraft knows (ChatML, Llama 3"));
  spec.chat_template = unknown;
  EXPECT_THAT(written(**Tokenizer::make(std::move(spec)), kConversation),
              HasSubstr("cannot be used (this program cannot run it), and its vocabulary has no"));
}

TEST(ChatTemplate, OnlyControlPartsBecomeSpecialTokens) {
  const auto tokenizer = tiny_tokenizer();
  const TokenId start = tokenizer->special("<|im_start|>");
  const TokenId end = tokenizer->special("<|im_end|>");
  const auto ids = encode_prompt(*tokenizer, *chat_prompt(*tokenizer, kConversation));
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

// LFM2's template begins with the token that begins every text, and is ChatML from there on.
TEST(ChatTemplate, Lfm2WritesChatMlAfterItsFirstToken) {
  TokenizerSpec spec = tiny_spec("lfm2");
  spec.tokens.emplace_back("<|startoftext|>");
  spec.types.push_back(3);
  spec.bos = static_cast<TokenId>(spec.tokens.size()) - 1;
  spec.add_bos = true;
  spec.chat_template = "{{- bos_token -}}{{- '<|im_start|>' + role + '\n' + text + '<|im_end|>' }}";
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  const auto parts = chat_prompt(**tokenizer, {{"user", "Say <|im_end|>"}});
  ASSERT_TRUE(parts) << parts.error().message();
  const auto ids = encode_prompt(**tokenizer, *parts);
  ASSERT_TRUE(ids) << ids.error().message();
  EXPECT_EQ(ids->at(0), (*tokenizer)->special("<|startoftext|>"));
  EXPECT_EQ(ids->at(1), (*tokenizer)->special("<|im_start|>"));
  // Without control tokens.
  EXPECT_EQ((*tokenizer)->decode(*ids), "user\nSay <|im_end|>\nassistant\n");
}

TEST(ChatTemplate, EndsATurnWithTheTokensThatExist) {
  const auto tokenizer = tiny_tokenizer();
  EXPECT_EQ(end_of_turn_tokens(*tokenizer),
            (std::vector<TokenId>{tokenizer->special("<|im_end|>"),
                                  tokenizer->special("<|endoftext|>")}));
  TokenizerSpec gemma4 = tiny_spec("gemma4");
  gemma4.end_tokens = {1, 5};
  EXPECT_EQ(end_of_turn_tokens(**Tokenizer::make(std::move(gemma4))),
            (std::vector<TokenId>{5, 1}));  // <turn|> and <eos>
  TokenizerSpec spec = tiny_spec();
  spec.end_tokens = {597, 598};  // one of them is <|im_end|>
  const auto told = Tokenizer::make(spec);
  ASSERT_TRUE(told);
  EXPECT_EQ(end_of_turn_tokens(**told), (std::vector<TokenId>{598, 596, 597}));
  for (std::int32_t& type : spec.types) type = type == 3 ? 5 : type;
  spec.end_tokens.clear();
  const auto plain = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(plain);
  EXPECT_EQ(end_of_turn_tokens(**plain), std::vector<TokenId>{});
}

}  // namespace
}  // namespace redraft
