#include "cli/common/one_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"
#include "text/byte_alphabet.h"

namespace redraft::cli {
namespace {

// Each byte is a token, and nothing else.
std::shared_ptr<const Tokenizer> tiny_tokenizer() {
  TokenizerSpec spec;
  spec.pre_tokenizer = "qwen2";
  for (int byte = 0; byte < 256; ++byte) {
    spec.tokens.push_back(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
    spec.types.push_back(1);
  }
  const auto made = Tokenizer::make(std::move(spec));
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return made ? *made : nullptr;
}

// Indexes hold tokens: those of another vocabulary may not exist in the model that is loaded later.
TEST(OneVocabulary, AModelOfAnotherIsRefusedWithWhatToDo) {
  OneVocabulary vocabulary;
  EXPECT_TRUE(vocabulary.take(byte_tokenizer()));
  EXPECT_TRUE(vocabulary.take(byte_tokenizer()));
  const auto other = tiny_tokenizer();
  ASSERT_TRUE(other);
  const Result<void> refused = vocabulary.take(other);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("in each open editor"));
  EXPECT_TRUE(vocabulary.take(byte_tokenizer())) << "the first one stays";
}

}  // namespace
}  // namespace redraft::cli
