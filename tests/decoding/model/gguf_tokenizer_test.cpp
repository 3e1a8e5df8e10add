// What a GGUF file's metadata says about its tokenizer, and what it does not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "decoding/model/gguf.h"
#include "decoding/model/tokenizer_spec.h"
#include "tests/decoding/model/gguf_writer.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GgufWriter writer(const std::string& pre_tokenizer) {
  GgufWriter out;
  out.text("tokenizer.ggml.model", "gpt2");
  out.text("tokenizer.ggml.pre", pre_tokenizer);
  out.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<s>", "</s>", "<eot>"});
  out.texts("tokenizer.ggml.merges", {"a b"});
  out.integers("tokenizer.ggml.token_type", {1, 1, 1, 3, 3, 3});
  out.integer("tokenizer.ggml.bos_token_id", 3);
  out.integer("tokenizer.ggml.eos_token_id", 4);
  return out;
}

Result<TokenizerSpec> read(const GgufWriter& out) {
  static std::vector<std::uint8_t> bytes;  // the file is a view of it
  bytes = out.bytes();
  const auto file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error();
  return read_tokenizer_spec(*file);
}

TEST(GgufTokenizer, Llama3LooksUpWordsAndBeginsTextsThoughTheFileDoesNotSaySo) {
  for (const char* name : {"llama-bpe", "llama3", "llama-v3", "lfm2"}) {
    const auto spec = read(writer(name));
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_TRUE(spec->ignore_merges);
    EXPECT_TRUE(spec->add_bos);
  }
  for (const char* name : {"qwen2", "qwen35"}) {
    const auto qwen = read(writer(name));
    ASSERT_TRUE(qwen) << qwen.error().message();
    EXPECT_EQ(qwen->pre_tokenizer, name);
    EXPECT_FALSE(qwen->ignore_merges);
    EXPECT_FALSE(qwen->add_bos);
  }
}

TEST(GgufTokenizer, FamiliesOfThisYearAreReadAsTheirPublishersDo) {
  struct Family {
    const char* name;
    bool ignore_merges, add_bos;
  };
  for (const auto& [name, ignore_merges, add_bos] : {Family{"tekken", true, true},
                                                     {"gpt-4o", true, false},
                                                     {"smaug-bpe", true, false},
                                                     {"dbrx", true, false},
                                                     {"pixtral", true, true},
                                                     {"mellum2", false, false},
                                                     {"seed-coder", false, false},
                                                     {"refact", false, false}}) {
    const auto spec = read(writer(name));
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_EQ(spec->ignore_merges, ignore_merges) << name;
    EXPECT_EQ(spec->add_bos, add_bos) << name;
  }
  GgufWriter told = writer("tekken");
  told.boolean("tokenizer.ggml.add_bos_token", false);
  EXPECT_FALSE(read(told)->add_bos);
}

TEST(GgufTokenizer, Gemma4IsAModelOfItsOwn) {
  const auto gemma4 = [](const char* model) {
    GgufWriter out;
    out.text("tokenizer.ggml.model", model);
    out.texts("tokenizer.ggml.tokens", {"a", "\u2581", "a\u2581", "<bos>", "<0x00>"});
    out.texts("tokenizer.ggml.merges", {"a \u2581"});
    out.integers("tokenizer.ggml.token_type", {1, 1, 1, 3, 6});
    out.integer("tokenizer.ggml.bos_token_id", 3);
    out.boolean("tokenizer.ggml.add_bos_token", false);  // as in early files, by mistake
    return out;
  };
  const auto spec = read(gemma4("gemma4"));
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->pre_tokenizer, "gemma4");
  EXPECT_TRUE(spec->add_bos);
  EXPECT_EQ(spec->bos, 3);
  EXPECT_FALSE(spec->ignore_merges);
  EXPECT_FALSE(spec->answers_after_thought);
  for (const std::uint32_t width : {0u, 256u}) {
    GgufWriter out = gemma4("gemma4");
    out.integer("gemma4.embedding_length_per_layer_input", width);
    EXPECT_EQ(read(out)->answers_after_thought, width == 0);
  }
  EXPECT_THAT(read(gemma4("llama")).error().message(),
              HasSubstr("'tokenizer.ggml.model': 'llama' is not supported; redraft reads"));
  EXPECT_THAT(read(writer("gemma4")).error().message(),
              HasSubstr("'gemma4' is not supported with byte-level BPE"));
}

TEST(GgufTokenizer, AllThatEndsAnAnswerIsKept) {
  GgufWriter out = writer("qwen2");
  out.integer("tokenizer.ggml.eot_token_id", 5);
  out.text("tokenizer.chat_template", "{{ messages }}");
  const auto spec = read(out);
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->end_of_text, 4);
  EXPECT_EQ(spec->bos, 3);
  EXPECT_THAT(spec->end_tokens, ElementsAre(4, 5));
  EXPECT_EQ(spec->chat_template, "{{ messages }}");
}

TEST(GgufTokenizer, KeysOfTheWrongTypeOrRangeAreErrors) {
  GgufWriter id = writer("qwen2");
  id.integer("tokenizer.ggml.eot_token_id", 6);
  EXPECT_THAT(read(id).error().message(), HasSubstr("tokenizer.ggml.eot_token_id"));
  GgufWriter chat_template = writer("qwen2");
  chat_template.integer("tokenizer.chat_template", 1);
  EXPECT_THAT(read(chat_template).error().message(), HasSubstr("tokenizer.chat_template"));
  GgufWriter add = writer("qwen2");
  add.text("tokenizer.ggml.add_bos_token", "yes");
  EXPECT_THAT(read(add).error().message(), HasSubstr("tokenizer.ggml.add_bos_token"));
}

}  // namespace
}  // namespace redraft
