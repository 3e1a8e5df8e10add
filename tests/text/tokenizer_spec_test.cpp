// A model file may say anything about its tokenizer: the result is a clear error, or a tokenizer
// that works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/text/tokenizer_kit.h"
#include "text/tokenizer.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

void expect_error(TokenizerSpec spec, const std::string& part) {
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_FALSE(tokenizer) << part;
  EXPECT_THAT(tokenizer.error().message(), HasSubstr(part));
}

template <typename Change>
void expect_error_after(Change change, const std::string& part) {
  TokenizerSpec spec = tiny_spec();
  change(spec);
  expect_error(std::move(spec), part);
}

TEST(TokenizerSpec, NumbersThatCannotBeAreErrors) {
  expect_error_after([](auto& spec) { spec.tokens.clear(); }, "the vocabulary is empty");
  expect_error_after([](auto& spec) { spec.pre_tokenizer = "x"; }, "supported are: qwen2");
  expect_error_after([](auto& spec) { spec.types.pop_back(); }, "600 tokens but 599 token types");
  expect_error_after([](auto& spec) { spec.types[3] = 9; }, "token 3 has the unknown type 9");
  expect_error_after([](auto& spec) { spec.types[3] = -1; }, "token 3 has the unknown type -1");
  expect_error_after([](auto& spec) { spec.end_of_text = 600; },
                     "end-of-text token 600 is outside");
  expect_error_after([](auto& spec) { spec.end_of_text = -2; }, "end-of-text token -2 is outside");
  expect_error_after([](auto& spec) { spec.add_bos = true; }, "token -1, which is outside");
}

TEST(TokenizerSpec, TokensThatCannotBeAreErrors) {
  expect_error_after([](auto& spec) { spec.tokens[300].clear(); }, "token 300 is empty");
  expect_error_after([](auto& spec) { spec.tokens[400] = spec.tokens[300]; },
                     "token 300 and token 400 are both \"");
  expect_error_after([](auto& spec) { spec.types[0] = 5; }, "no token for the single byte 33");
}

TEST(TokenizerSpec, MergesThatCannotBeAreErrors) {
  const auto expect_merge_error = [](const std::string& merge, const std::string& part) {
    expect_error_after([&](auto& spec) { spec.merges[7] = merge; }, "merge 7 \"");
    expect_error_after([&](auto& spec) { spec.merges[7] = merge; }, part);
  };
  expect_merge_error("", "not two tokens with a space between them");
  expect_merge_error("ab", "not two tokens with a space between them");
  expect_merge_error("a b c", "not two tokens with a space between them");
  expect_merge_error(" a", "not two tokens in the byte-level alphabet");
  expect_merge_error("a ", "not two tokens in the byte-level alphabet");
  expect_merge_error("a \u20AC", "not two tokens in the byte-level alphabet");
  expect_merge_error("a \xC3", "not two tokens in the byte-level alphabet");
  expect_merge_error("zqzqzq a", "left side is not an ordinary token");
  expect_merge_error("a zqzqzq", "right side is not an ordinary token");
  expect_merge_error("q ~", "what it makes is not an ordinary token");
  expect_merge_error("<|im_end|> a", "left side is not an ordinary token");
}

TEST(TokenizerSpec, AMergeNeverMakesASpecialToken) {
  expect_error_after(
      [](auto& spec) {
        spec.tokens[599] = "q~";
        spec.merges.push_back("q ~");
      },
      "what it makes is not an ordinary token");
}

TEST(TokenizerSpec, AVocabularyOfCharactersNeedsItsBytesAndMergesWithinLines) {
  const auto expect = [](auto change, const std::string& part) {
    TokenizerSpec spec = tiny_spec("gemma4");
    change(spec);
    expect_error(std::move(spec), part);
  };
  expect([](auto& spec) { spec.types[8 + '\t'] = 1; }, "no token for the single byte 9");
  expect([](auto& spec) { spec.tokens[8 + '\t'] = "<0x0a>"; }, "no token for the single byte 9");
  const auto merge = [](const std::string& left, const std::string& right) {
    return [=](auto& spec) {
      spec.tokens.push_back(left + right);
      spec.types.push_back(1);
      spec.merges.push_back(left + " " + right);
    };
  };
  expect(merge("\n", "a"), "it crosses the end of a line");
  expect(merge("\u2581", "\n"), "it crosses the end of a line");
  expect(merge("<0x0A>", "a"), "its left side is not an ordinary token");
  TokenizerSpec spec = tiny_spec("gemma4");
  merge("\n\n", "\n")(spec);
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->encode("\n\n\n"), (std::vector<TokenId>{664}));
}

TEST(TokenizerSpec, AnErrorShowsHostileTextShortAndOnOneLine) {
  TokenizerSpec spec = tiny_spec();
  spec.merges[0] = "\n\x1b[2J\xC3\u0120" + std::string(100'000, 'x');
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_FALSE(tokenizer);
  EXPECT_THAT(tokenizer.error().message(), HasSubstr("\"\\x0A\\x1B[2J\\xC3\u0120xxx"));
  EXPECT_LT(tokenizer.error().message().size(), 200u);
}

TEST(TokenizerSpec, AnOrdinaryTokenOutsideTheAlphabetIsDecodedAsItStands) {
  TokenizerSpec spec = tiny_spec();
  spec.tokens.push_back("\u20AC \u4F60");
  spec.types.push_back(1);
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->bytes(600), "\u20AC \u4F60");
  EXPECT_EQ((*tokenizer)->encode("\u20AC \u4F60"), tiny_tokenizer()->encode("\u20AC \u4F60"));
}

TEST(TokenizerSpec, UnusedTokensAreNeitherTextNorSpecial) {
  TokenizerSpec spec = tiny_spec();
  spec.tokens.push_back("[PAD]");
  spec.types.push_back(5);
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->bytes(600), "");
  EXPECT_EQ((*tokenizer)->display(600), "[PAD]");
  EXPECT_FALSE((*tokenizer)->is_special(600));
  EXPECT_EQ((*tokenizer)->special("[PAD]"), -1);
}

TEST(TokenizerSpec, UserDefinedTokensAreWrittenButNeverReadFromText) {
  TokenizerSpec spec = tiny_spec();
  spec.tokens.push_back("<tool_call>");
  spec.types.push_back(4);
  const auto tokenizer = Tokenizer::make(std::move(spec));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->bytes(600), "<tool_call>");
  EXPECT_TRUE((*tokenizer)->is_special(600));
  EXPECT_EQ((*tokenizer)->encode("<tool_call>"), tiny_tokenizer()->encode("<tool_call>"));
}

// One change that could be found in a damaged or hostile file.
void damage(TokenizerSpec& spec, std::mt19937& random) {
  std::string& token = spec.tokens[random() % spec.tokens.size()];
  std::string& merge = spec.merges[random() % spec.merges.size()];
  const std::string& other = spec.tokens[random() % spec.tokens.size()];
  switch (random() % 9) {
    case 0:
      token = other;
      break;
    case 1:
      token = std::string(random() % 4, static_cast<char>(random() % 256));
      break;
    case 2:
      std::swap(token, spec.tokens[random() % spec.tokens.size()]);
      break;
    case 3:
      std::swap(merge, spec.merges[random() % spec.merges.size()]);
      break;
    case 4:
      merge = token + " " + other;
      break;
    case 5:
      merge = spec.merges[random() % spec.merges.size()];
      break;
    case 6:
      spec.types[random() % spec.types.size()] = static_cast<std::int32_t>(random() % 8);
      break;
    case 7:
      spec.merges.erase(spec.merges.begin() + static_cast<std::ptrdiff_t>(random() % 100));
      break;
    case 8:
      spec.end_of_text = static_cast<TokenId>(random() % 700);
      break;
  }
}

TEST(TokenizerSpec, ADamagedOneIsRefusedOrKeepsEveryPromise) {
  int n_made = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    TokenizerSpec spec = tiny_spec(seed % 4 == 3 ? "gemma4" : "qwen2");
    for (std::uint32_t n = 1 + seed % 3; n > 0; --n) damage(spec, random);
    const auto made = Tokenizer::make(std::move(spec));
    if (!made) {
      EXPECT_FALSE(made.error().message().empty());
      continue;
    }
    ++n_made;
    std::string text = "def f(x):\n    return x's <|im_end|> ";
    for (int i = 0; i < 60; ++i) text += static_cast<char>(random() % 256);
    const std::vector<TokenId> ids = (*made)->encode(text);
    for (const TokenId id : ids) {
      ASSERT_FALSE((*made)->is_special(id)) << "seed " << seed;
      ASSERT_FALSE((*made)->bytes(id).empty()) << "seed " << seed;
    }
    if ((*made)->covers(text)) {
      ASSERT_EQ((*made)->decode(ids), text) << "seed " << seed;
    }
  }
  EXPECT_GT(n_made, 40);
  EXPECT_LT(n_made, 360);
}

}  // namespace
}  // namespace redraft
