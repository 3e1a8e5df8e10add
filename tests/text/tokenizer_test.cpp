#include "text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/text/tokenizer_kit.h"

namespace redraft {
namespace {

TEST(Tokenizer, EqualsTheReferenceOnFuzzedTexts) {
  for (const std::string name : kPreTokenizers) {
    SCOPED_TRACE(name);
    check_golden_ids(*tiny_tokenizer(name), "tiny_" + name + "_ids.json");
  }
}

TEST(Tokenizer, AWordThatIsATokenGoesBeforeItsMergesWhereTheVocabularySaysSo) {
  TokenizerSpec spec = tiny_spec();
  const std::string word = " zqzq";
  spec.tokens.push_back("\u0120zqzq");
  spec.types.push_back(1);
  for (const bool ignore_merges : {false, true}) {
    spec.ignore_merges = ignore_merges;
    const auto tokenizer = Tokenizer::make(spec);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message();
    const std::vector<TokenId> ids = (*tokenizer)->encode(word);
    EXPECT_EQ(ids == std::vector<TokenId>{600}, ignore_merges);
    EXPECT_EQ((*tokenizer)->decode(ids), word);
  }
}

// Bytes of all kinds, many of which begin, continue or break a UTF-8 sequence.
std::string random_bytes(std::mt19937& random) {
  const std::string frequent = "\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80\xED\xA0\xFF\xC0 \n\r\t'se1";
  std::string bytes(random() % 120, '\0');
  for (char& c : bytes) {
    c = random() % 3 == 0 ? static_cast<char>(random() % 256)
                          : frequent[random() % frequent.size()];
  }
  return bytes;
}

TEST(Tokenizer, AnyBytesComeBackUnchanged) {
  for (const char* name : {"qwen2", "gpt-4o", "gemma4"}) {
    const auto tokenizer = tiny_tokenizer(name);
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
      const std::string bytes = random_bytes(random);
      ASSERT_TRUE(tokenizer->covers(bytes));
      ASSERT_EQ(tokenizer->decode(tokenizer->encode(bytes)), bytes) << name << " round " << round;
    }
  }
}

TEST(Tokenizer, TextNeverMakesASpecialToken) {
  for (const char* name : {"qwen2", "gemma4"}) {
    const auto tokenizer = tiny_tokenizer(name);
    for (TokenId special = 0; special < tokenizer->vocabulary_size(); ++special) {
      if (!tokenizer->is_special(special)) continue;
      const std::string spelling = tokenizer->display(special);
      EXPECT_EQ(tokenizer->special(spelling), special);
      EXPECT_EQ(tokenizer->bytes(special), "");
      for (const std::string& text :
           {spelling, "a" + spelling, spelling + spelling, " " + spelling + "\n"}) {
        const std::vector<TokenId> ids = tokenizer->encode(text);
        for (const TokenId id : ids) EXPECT_FALSE(tokenizer->is_special(id)) << text;
        EXPECT_EQ(tokenizer->decode(ids), text);
      }
    }
  }
}

// Gemma 4's tokens: characters, U+2581 for a space, and bytes where there is no character.
TEST(Tokenizer, CharactersWithoutATokenAreWrittenInBytes) {
  const auto tokenizer = tiny_tokenizer("gemma4");
  const TokenId first_byte = 8;
  const auto byte = [&](int value) { return first_byte + value; };
  EXPECT_EQ(tokenizer->encode("\u0152"), (std::vector<TokenId>{byte(0xC5), byte(0x92)}));
  EXPECT_EQ(tokenizer->encode("\u2581"),
            (std::vector<TokenId>{byte(0xE2), byte(0x96), byte(0x81)}));
  EXPECT_EQ(tokenizer->encode("\xFF"), (std::vector<TokenId>{byte(0xFF)}));
  const std::vector<TokenId> space = tokenizer->encode(" ");
  ASSERT_EQ(space.size(), 1u);
  EXPECT_EQ(tokenizer->bytes(space[0]), " ");
  EXPECT_EQ(tokenizer->encode("    ").size(), 1u);
  EXPECT_EQ(tokenizer->bytes(byte(0x41)), "A");
  EXPECT_NE(tokenizer->encode("A"), (std::vector<TokenId>{byte(0x41)}));
  EXPECT_FALSE(tokenizer->is_special(byte(0x41)));
  // A spelling is text.
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("<0x41>\n")), "<0x41>\n");
  EXPECT_GT(tokenizer->encode("<0x41>").size(), 1u);
}

TEST(Tokenizer, TellsAboutItsTokens) {
  const auto tokenizer = tiny_tokenizer();
  const TokenId end = tokenizer->special("<|im_end|>");
  ASSERT_GE(end, 0);
  EXPECT_EQ(tokenizer->end_of_text(), end);
  EXPECT_EQ(tokenizer->begin_of_text(), -1);
  EXPECT_TRUE(tokenizer->is_special(end));
  EXPECT_EQ(tokenizer->special("no such token"), -1);
  EXPECT_EQ(tokenizer->special(""), -1);

  const std::vector<TokenId> space = tokenizer->encode(" ");
  ASSERT_EQ(space.size(), 1u);
  EXPECT_EQ(tokenizer->bytes(space[0]), " ");
  EXPECT_EQ(tokenizer->display(space[0]), " ");
  EXPECT_FALSE(tokenizer->is_special(space[0]));
  for (const TokenId outside : {-1, tokenizer->vocabulary_size()}) {
    EXPECT_EQ(tokenizer->bytes(outside), "");
    EXPECT_EQ(tokenizer->display(outside), "");
    EXPECT_FALSE(tokenizer->is_special(outside));
  }
  EXPECT_EQ(tokenizer->decode(std::vector<TokenId>{space[0], end, -5, 1 << 30, space[0]}), "  ");
}

TEST(Tokenizer, LongRunsOfOneCharacterComeBackUnchanged) {
  for (const char* name : {"qwen2", "gpt-4o", "gemma4"}) {
    const auto tokenizer = tiny_tokenizer(name);
    for (const char* unit : {"a", " ", "\n", " \n", "-", "A", "\u00E9", "\xFF", "ab"}) {
      std::string text;
      while (text.size() < 100'000) text += unit;
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(text + "x")), text + "x");
    }
  }
}

TEST(Tokenizer, BytesTheVocabularyLacksAreLeftOutAndTold) {
  TokenizerSpec spec = tiny_spec();
  spec.types[static_cast<std::size_t>(tiny_tokenizer()->encode("\x04")[0])] = 5;  // unused
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_TRUE((*tokenizer)->covers("any text"));
  const std::string control = "\x04";
  EXPECT_FALSE((*tokenizer)->covers("a" + control));
  EXPECT_EQ((*tokenizer)->decode((*tokenizer)->encode("a" + control + "b")), "ab");
  EXPECT_EQ((*tokenizer)->encode(control + "return"), (*tokenizer)->encode("return"));
}

TEST(Tokenizer, FindsTheLongestSpecialTokenAtTheBeginningOfAText) {
  TokenizerSpec spec = tiny_spec();
  for (const char* special : {"<", "<|a", "<|a|>", "<|a|>b", "<|b"}) {
    spec.tokens.emplace_back(special);
    spec.types.push_back(3);
  }
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  for (const auto& [text, special] : {std::pair{"<|a|>c", "<|a|>"},
                                      {"<|a|>b", "<|a|>b"},
                                      {"<|a|", "<|a"},
                                      {"<|a|>azzz", "<|a|>"},
                                      {"<|c", "<"},
                                      {"<|", "<"},
                                      {"<|im_end|>\n", "<|im_end|>"},
                                      {"<|im_en", "<"},
                                      {"a<", ""},
                                      {"", ""},
                                      {"~", ""}})
    EXPECT_EQ((*tokenizer)->special_prefix(text), special) << text;
}

}  // namespace
}  // namespace redraft
