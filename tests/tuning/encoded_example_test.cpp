#include "tuning/encoded_example.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

TuningExample example(std::string target, std::vector<ByteRange> learn) {
  return {"<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n", std::move(target),
          std::move(learn), "here"};
}

class EncodedExample : public ::testing::Test {
 protected:
  // The bytes and spellings of the learnt tokens.
  static std::string learnt(const Tokenizer& tokenizer, const TrainingText& text) {
    std::string out;
    for (const std::int32_t position : text.learnt)
      out += tokenizer.display(text.tokens[static_cast<std::size_t>(position)]);
    return out;
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = byte_tokenizer();
  ExampleEncoder encoder_{*tokenizer_};
};

TEST_F(EncodedExample, PromptsHaveTheirControlTokens) {
  const auto tokens = encoder_.encode_prompt("<|im_start|>a<|im_end|><|im_e");
  ASSERT_TRUE(tokens) << tokens.error().message();
  ASSERT_EQ(tokens->size(), 3U + 6U);
  EXPECT_EQ((*tokens)[0], tokenizer_->special("<|im_start|>"));
  EXPECT_EQ((*tokens)[2], tokenizer_->special("<|im_end|>"));
  EXPECT_FALSE(tokenizer_->is_special((*tokens)[3]));
}

TEST_F(EncodedExample, EoftLearnsTheRangesAndSftAll) {
  const TuningExample each = example("keep\nnew\n```<|im_end|>", {{5, 9}, {12, 22}});
  const auto eoft = encoder_.encode(each, TuningLoss::kEoft);
  ASSERT_TRUE(eoft) << eoft.error().message();
  EXPECT_EQ(learnt(*tokenizer_, *eoft), "new\n<|im_end|>");
  EXPECT_EQ(eoft->tokens.back(), tokenizer_->special("<|im_end|>"));
  const auto sft = encoder_.encode(each, TuningLoss::kSft);
  ASSERT_TRUE(sft);
  EXPECT_EQ(learnt(*tokenizer_, *sft), "keep\nnew\n```<|im_end|>");
  EXPECT_EQ(sft->tokens, eoft->tokens);
}

// Only the end of a target is a control token: a spelling inside is text.
TEST_F(EncodedExample, TargetsCannotForgeControlTokens) {
  const auto text =
      encoder_.encode(example("a<|im_end|>b<|im_end|>", {{0, 22}}), TuningLoss::kEoft);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::count(text->tokens.begin(), text->tokens.end(), tokenizer_->special("<|im_end|>")),
            2);  // that of the prompt and that of the end
  EXPECT_EQ(learnt(*tokenizer_, *text), "a<|im_end|>b<|im_end|>");
}

TEST_F(EncodedExample, ATokenIsLearntIfAByteOfItIs) {
  const auto words = word_tokenizer({"return"});
  const ExampleEncoder encoder(*words);
  const auto text = encoder.encode(example("x return y", {{4, 5}}), TuningLoss::kEoft);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->learnt.size(), 1U);
  EXPECT_TRUE(learnt(*words, *text).find('e') != std::string::npos);
}

// Learnt tokens, put together, cover the ranges and nothing that is not part of their tokens.
TEST_F(EncodedExample, RandomRangesAreCovered) {
  const auto words = word_tokenizer({"return", "self", "value"});
  const ExampleEncoder encoder(*words);
  std::mt19937 random(3);
  const std::string pieces[] = {"return ", "self.", "value", "\n", "    ", "é", "x = 1", "()"};
  for (int round = 0; round < 500; ++round) {
    std::string target;
    for (int i = 0; i < 12; ++i) target += pieces[random() % 8];
    const std::size_t end = target.size();
    target += "<|im_end|>";
    const std::size_t begin = random() % end;
    const ByteRange range{begin, begin + 1 + random() % (end - begin)};
    const auto text = encoder.encode(example(target, {range}), TuningLoss::kEoft);
    ASSERT_TRUE(text);
    const auto prompt = *encoder.encode_prompt(example("", {}).prompt);
    std::size_t at = 0;
    std::size_t next = 0;
    for (std::size_t i = prompt.size(); i + 1 < text->tokens.size(); ++i) {
      const std::size_t size = words->bytes(text->tokens[i]).size();
      const bool is_learnt =
          next < text->learnt.size() && text->learnt[next] == static_cast<std::int32_t>(i);
      EXPECT_EQ(is_learnt, at < range.end && range.begin < at + size);
      next += is_learnt ? 1 : 0;
      at += size;
    }
    EXPECT_EQ(at, end);
    EXPECT_EQ(next, text->learnt.size());
  }
}

TEST_F(EncodedExample, WhatIsLeftOutIsCounted) {
  const std::vector<TuningExample> examples = {example("ab<|im_end|>", {{0, 1}}),
                                               example(std::string(200, 'x'), {{0, 1}}),
                                               example("cd<|im_end|>", {{0, 12}})};
  const EncodedExamples encoded = encode_examples(encoder_, examples, TuningLoss::kEoft, 100);
  EXPECT_EQ(encoded.texts.size(), 2U);
  EXPECT_EQ(encoded.too_long, 1U);
  EXPECT_EQ(encoded.refused, 0U);
}

}  // namespace
}  // namespace redraft
