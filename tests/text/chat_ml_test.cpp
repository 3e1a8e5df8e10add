// The templates of Qwen3 and its successors, compared with what Jinja makes of them.
#include "text/chat_ml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/text/tokenizer_kit.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::int32_t kNormal = 1, kUserDefined = 4;

// With <think> and </think> as tokens of the given type, as the last of the vocabulary.
std::shared_ptr<const Tokenizer> tokenizer_with(const std::string& chat_template,
                                                std::int32_t type = kUserDefined) {
  TokenizerSpec spec = tiny_spec("qwen35");
  spec.chat_template = chat_template;
  for (const char* tag : {"<think>", "</think>"}) {
    spec.tokens.emplace_back(tag);
    spec.types.push_back(type);
  }
  return *Tokenizer::make(std::move(spec));
}

std::string joined(const std::vector<PromptPart>& parts) {
  std::string text;
  for (const PromptPart& part : parts) text += part.text;
  return text;
}

// Control parts in brackets.
std::string written(const Tokenizer& tokenizer, const std::vector<ChatMessage>& messages) {
  const std::vector<PromptPart> parts = *chat_prompt(tokenizer, messages);
  std::string text;
  for (const PromptPart& part : parts) text += part.control ? "[" + part.text + "]" : part.text;
  return text;
}

nlohmann::json goldens() {
  return nlohmann::json::parse(std::ifstream(REDRAFT_TEXT_DATA "/chat_templates.json"));
}

std::string template_of(const std::string& name) { return goldens()["rendered"][name]["template"]; }

TEST(ChatMl, EqualsTheTemplatesThatJinjaRenders) {
  const nlohmann::json file = goldens();
  int n_compared = 0;
  for (const auto& [name, rendered] : file["rendered"].items()) {
    const auto tokenizer = tokenizer_with(rendered["template"]);
    for (std::size_t i = 0; i < file["conversations"].size(); ++i) {
      if (rendered["texts"][i].is_null()) continue;
      std::vector<ChatMessage> messages;
      for (const nlohmann::json& message : file["conversations"][i])
        messages.push_back({message["role"], message["content"]});
      EXPECT_EQ(joined(*chat_prompt(*tokenizer, messages)), rendered["texts"][i])
          << name << ", conversation " << i;
      ++n_compared;
    }
  }
  EXPECT_EQ(n_compared, 3 * 19 - 1);
}

TEST(ChatMl, OpensTheAnswerWithAnEmptyThoughtWhereTheTemplateSwitchesThinkingOff) {
  for (const std::string name : {"Qwen-Qwen3-0.6B", "Qwen3.5-4B"}) {
    EXPECT_EQ(written(*tokenizer_with(template_of(name)), {{"user", "<think>"}}),
              "[<|im_start|>]user\n<think>[<|im_end|>]\n"
              "[<|im_start|>]assistant\n[<think>]\n\n[</think>]\n\n");
  }
  const std::string plain =
      "[<|im_start|>]user\nHi[<|im_end|>]\n"
      "[<|im_start|>]assistant\n";
  EXPECT_EQ(written(*tokenizer_with(template_of("Qwen3-Coder")), {{"user", "Hi"}}), plain);
  EXPECT_EQ(written(*tokenizer_with(""), {{"user", "Hi"}}), plain);
  EXPECT_EQ(written(*tokenizer_with("<|im_start|><|im_end|>{{'<think>\\n\\n</think>\\n\\n'}}"),
                    {{"user", "Hi"}}),
            plain);
  EXPECT_EQ(written(*tokenizer_with("<|im_start|><|im_end|>{% if enable_thinking %}<think>\\n"),
                    {{"user", "Hi"}}),
            plain);
}

TEST(ChatMl, OpensAThoughtWhereTheTemplateCannotSwitchThinkingOff) {
  const std::string opens = "<|im_end|>{{- '<|im_start|>assistant\\n<think>\\n' }}";
  EXPECT_EQ(written(*tokenizer_with(opens), {{"user", "Hi"}}),
            "[<|im_start|>]user\nHi[<|im_end|>]\n"
            "[<|im_start|>]assistant\n[<think>]\n");
  EXPECT_THAT(written(*tokenizer_with("{% if enable_thinking %}" + opens), {{"user", "Hi"}}),
              EndsWith("assistant\n"));
}

TEST(ChatMl, TheTagsOfAThoughtAreTokensIfTheVocabularyHasThem) {
  const std::vector<ChatMessage> question = {{"user", "Hi"}};
  const auto tokenizer = tokenizer_with(template_of("Qwen3.5-4B"));
  std::vector<TokenId> ids = *encode_prompt(*tokenizer, *chat_prompt(*tokenizer, question));
  std::vector<TokenId> end = {tokenizer->special("<think>")};
  const auto add = [&](const std::vector<TokenId>& more) {
    end.insert(end.end(), more.begin(), more.end());
  };
  add(tokenizer->encode("\n\n"));
  add({tokenizer->special("</think>")});
  add(tokenizer->encode("\n\n"));
  ASSERT_GT(ids.size(), end.size());
  ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(end.size()));
  EXPECT_EQ(ids, end);

  const auto without = tokenizer_with(template_of("Qwen3.5-4B"), kNormal);
  EXPECT_THAT(written(*without, question), HasSubstr("]assistant\n<think>\n\n</think>\n\n"));
}

TEST(ChatMl, FollowsTheTemplateOfQwen38) {
  const auto tokenizer = tokenizer_with(
      "{%- if content %}{{- '<|im_start|>system\\n' + content + '<|im_end|>\\n' }}{%- endif %}"
      "{%- set content = render_content(message.content, true)|trim %}"
      "{%- if preserve_thinking is undefined or preserve_thinking is true or loop.index0 > "
      "ns.last_query_index %}{%- if enable_thinking is false %}{{'<think>\\n\\n</think>\\n\\n'}}");
  EXPECT_EQ(
      written(*tokenizer,
              {{"system", "\n"}, {"user", " 1"}, {"assistant", "a</think>\n2\n"}, {"user", "3"}}),
      "[<|im_start|>]user\n1[<|im_end|>]\n"
      "[<|im_start|>]assistant\n[<think>]\n\n[</think>]\n\na</think>\n2[<|im_end|>]\n"
      "[<|im_start|>]user\n3[<|im_end|>]\n"
      "[<|im_start|>]assistant\n[<think>]\n\n[</think>]\n\n");
}

TEST(ChatMl, TrimsWhatPythonCallsWhiteSpace) {
  EXPECT_EQ(trimmed_as_in_templates(" \t\n\v\f\r\x1c\x1f\u0085\u00A0\u1680\u2003\u2028\u3000"), "");
  EXPECT_EQ(trimmed_as_in_templates("\u3000a b\u2029\n"), "a b");
  for (const std::string kept : {"\u200B", "\uFEFF", "\u180E", "\x85", "\xE3\x80", "\x1B"})
    EXPECT_EQ(trimmed_as_in_templates(" " + kept + "\u3000"), kept);
  EXPECT_EQ(trimmed_as_in_templates("x\xC2\xE3\x80\x80"), "x\xC2");
  EXPECT_EQ(trimmed_as_in_templates("x\xA0\xA0"), "x\xA0\xA0");
}

}  // namespace
}  // namespace redraft
