#include "text/encoded_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/text/tokenizer_kit.h"
#include "text/byte_alphabet.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

using Random = std::mt19937;

// What decides where words end, complete and in parts: white space of all kinds and lengths, line
// ends, contractions, digits, letters of one to four bytes, bytes that are not a character.
std::string random_piece(Random& random) {
  static const std::vector<std::string> pieces = {"def f(x):\n",
                                                  "    ",
                                                  "return ",
                                                  "self.",
                                                  "x",
                                                  "'s",
                                                  "'RE",
                                                  "'\u017F",
                                                  "'",
                                                  " ",
                                                  "\t",
                                                  "\n",
                                                  "\r\n",
                                                  "\r",
                                                  "\u3000",
                                                  "\u00A0",
                                                  "1",
                                                  "23",
                                                  "456789",
                                                  "\u0967",
                                                  "\U00011DE0",
                                                  ".",
                                                  " += ",
                                                  "_a",
                                                  "ABC",
                                                  "D",
                                                  "\u00C9",
                                                  "\u01C5",
                                                  "\u02B0",
                                                  "\u4F60\u597D",
                                                  "\uFF0C",
                                                  "\u2192",
                                                  "e\u0301",
                                                  "\u0301",
                                                  "\u0928\u094D",
                                                  "\U0001F600",
                                                  "\xF0\x9F",
                                                  "\x98",
                                                  "\xFF",
                                                  "<|im_end|>",
                                                  "//",
                                                  "  \n  \n",
                                                  "\n\n\n",
                                                  "                "};
  return pieces[random() % pieces.size()];
}

std::string random_text(Random& random, std::size_t n_bytes) {
  std::string text;
  while (text.size() < n_bytes) text += random_piece(random);
  return text;
}

std::string byte_spelling(int byte) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto value = static_cast<std::size_t>(byte);
  return std::string("<0x") + kHex[value >> 4] + kHex[value & 15] + ">";
}

// A vocabulary in which nearly any two neighbours within a word merge, so that a word with other
// ends has other tokens.
std::shared_ptr<const Tokenizer> sensitive_tokenizer(const std::string& pre_tokenizer,
                                                     Random& random) {
  const bool gemma4 = pre_tokenizer == "gemma4";
  TokenizerSpec spec;
  spec.pre_tokenizer = pre_tokenizer;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string spelling = to_byte_alphabet(std::string(1, static_cast<char>(byte)));
    spec.tokens.push_back(gemma4 ? byte_spelling(byte) : spelling);
    spec.types.push_back(gemma4 ? 6 : 1);
  }
  const std::string bytes = " \t\n\rx'seRABD12.(/";
  const auto spelled = [&](char c) {
    if (!gemma4) return to_byte_alphabet({&c, 1});
    return c == ' ' ? std::string("\u2581") : std::string(1, c);
  };
  const auto add = [&](const std::string& token) {
    spec.tokens.push_back(token);
    spec.types.push_back(1);
  };
  for (const char c : gemma4 ? bytes : "") add(spelled(c));
  for (const char left : bytes) {
    for (const char right : bytes) {
      if (gemma4 && (left == '\n') != (right == '\n')) continue;
      add(spelled(left) + spelled(right));
      spec.merges.push_back(spelled(left) + " " + spelled(right));
    }
  }
  std::shuffle(spec.merges.begin(), spec.merges.end(), random);
  return *Tokenizer::make(std::move(spec));
}

// Replaces some bytes anywhere, even in the middle of a character.
EncodedText::ChangedBytes edit_somewhere(std::string& text, Random& random) {
  const std::size_t begin = random() % (text.size() + 1);
  const std::size_t longest = random() % 4 == 0 ? 40 : 3;
  const std::size_t n_removed = std::min(random() % (longest + 1), text.size() - begin);
  std::string inserted;
  for (std::size_t n = random() % 3; n > 0; --n) inserted += random_piece(random);
  text.replace(begin, n_removed, inserted);
  return {begin, begin + n_removed, begin + inserted.size()};
}

std::vector<TokenId> tokens_of(const EncodedText& encoded) {
  std::vector<TokenId> tokens;
  encoded.append_to(tokens);
  return tokens;
}

void check_edits(const Tokenizer& tokenizer, std::string text, int n_edits, Random& random) {
  EncodedText encoded(tokenizer, text);
  for (int i = 0; i < n_edits; ++i) {
    const std::string before = text;
    const EncodedText::ChangedBytes edit = edit_somewhere(text, random);
    encoded.update(text, edit);
    ASSERT_EQ(encoded.n_bytes(), text.size());
    ASSERT_EQ(tokens_of(encoded), tokenizer.encode(text))
        << "edit " << i << " of [" << edit.begin << ", " << edit.old_end << ") in " << before;
  }
}

TEST(EncodedText, EqualsEncodingTheWholeAfterAnyEdits) {
  for (const char* name : kPreTokenizers) {
    SCOPED_TRACE(name);
    Random random(5);
    const auto sensitive = sensitive_tokenizer(name, random);
    const auto tiny = tiny_tokenizer(name);
    for (int round = 0; round < 200; ++round) {
      const Tokenizer& tokenizer = round % 2 ? *sensitive : *tiny;
      ASSERT_NO_FATAL_FAILURE(
          check_edits(tokenizer, random_text(random, random() % 300), 40, random));
    }
  }
}

TEST(EncodedText, EqualsEncodingTheWholeOverManyChunks) {
  for (const char* name : kPreTokenizers) {
    SCOPED_TRACE(name);
    Random random(6);
    const auto tokenizer = sensitive_tokenizer(name, random);
    ASSERT_NO_FATAL_FAILURE(check_edits(*tokenizer, random_text(random, 20'000), 60, random));
  }
}

// U*D+ splits the word behind the last letter without case, until a small letter far behind it
// joins all of it.
TEST(EncodedText, ALetterFarBehindAWordChangesIt) {
  for (const char* name : {"gpt-4o", "tekken"}) {
    TokenizerSpec spec = tiny_spec(name);
    // Shows in the tokens whether a word ends behind U+0301, of which 0x81 is the last byte.
    const std::string mark_end = to_byte_alphabet("\x81");
    spec.tokens.push_back(mark_end + "B");
    spec.types.push_back(1);
    spec.merges.push_back(mark_end + " B");
    const auto tokenizer = *Tokenizer::make(std::move(spec));
    // Two words, as long as the second one consists of capitals alone.
    std::string text =
        "x = \u65E5" + std::string(40, 'A') + "\u0301" + std::string(40, 'B') + "; y";
    EncodedText encoded(*tokenizer, text);
    const std::size_t at = text.find(';');
    for (const std::string inserted : {"c", "", "\u0301"}) {
      std::string edited = text;
      edited.insert(at, inserted);
      encoded.update(edited, {at, at, at + inserted.size()});
      EXPECT_EQ(tokens_of(encoded), tokenizer->encode(edited)) << name << " with " << inserted;
      encoded.update(text, {at, at + inserted.size(), at});
      EXPECT_EQ(tokens_of(encoded), tokenizer->encode(text)) << name << " without " << inserted;
    }
  }
}

TEST(EncodedText, LargeEditsAddAndRemoveChunks) {
  const auto tokenizer = tiny_tokenizer();
  Random random(7);
  std::string text = random_text(random, 5'000);
  EncodedText encoded(*tokenizer, text);
  for (int i = 0; i < 60; ++i) {
    const std::size_t begin = random() % (text.size() + 1);
    const std::size_t n_removed =
        std::min<std::size_t>(i % 2 ? random() % 30'000 : 0, text.size() - begin);
    const std::string inserted = i % 2 ? "" : random_text(random, random() % 15'000);
    text.replace(begin, n_removed, inserted);
    encoded.update(text, {begin, begin + n_removed, begin + inserted.size()});
    ASSERT_EQ(tokens_of(encoded), tokenizer->encode(text)) << "edit " << i;
  }
  encoded.update("", {0, text.size(), 0});
  EXPECT_EQ(tokens_of(encoded), std::vector<TokenId>{});
}

TEST(EncodedText, ReadsAboutAsMuchAsWasChanged) {
  std::string line = "    total += values[index];  // as before\n";
  std::string text;
  while (text.size() < 200'000) text += line;
  for (const char* name : kPreTokenizers) {
    const auto tokenizer = tiny_tokenizer(name);
    // Gemma 4 has no words shorter than a line.
    const std::size_t most = std::string_view(name) == "gemma4" ? 128 : 64;
    EncodedText encoded(*tokenizer, text);
    std::string edited = text;
    for (std::size_t at = 1'000; at < edited.size(); at += 9'973) {
      edited.insert(at, "z");
      EXPECT_LE(encoded.update(edited, {at, at, at + 1}), most) << name << " at " << at;
    }
  }
}

TEST(PromptEncoder, EncodesAgainOnlyWhatChanged) {
  const auto tokenizer = tiny_tokenizer();
  const auto prompt = [&](const std::string& buffer, const std::string& instruction) {
    return *chat_prompt(*tokenizer, {{"system", "Edit."}, {"user", buffer + instruction}});
  };
  std::string buffer;
  for (int i = 0; i < 500; ++i) buffer += "value_" + std::to_string(i) + " = compute()\n";
  PromptEncoder encoder(*tokenizer);
  const auto check = [&](const std::string& text, const std::string& instruction) {
    const auto parts = prompt(text, instruction);
    EXPECT_EQ(*encoder.encode(parts), *encode_prompt(*tokenizer, parts));
    return encoder.n_encoded_bytes();
  };
  EXPECT_GT(check(buffer, "Go."), buffer.size());
  EXPECT_EQ(check(buffer, "Go."), 0u);
  EXPECT_LT(check(buffer, "Rename it."), 32u);
  buffer.insert(5'000, "x");
  EXPECT_LT(check(buffer, "Rename it."), 32u);
  EXPECT_LT(check("", ""), 64u);
  EXPECT_EQ(*encoder.encode({{"a", false}}), tokenizer->encode("a"));
  EXPECT_EQ(*encoder.encode({}), std::vector<TokenId>{});
  EXPECT_GT(check(buffer, "Go."), buffer.size());
}

}  // namespace
}  // namespace redraft
