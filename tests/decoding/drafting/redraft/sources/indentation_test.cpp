#include "decoding/drafting/redraft/sources/indentation.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "text/byte_alphabet.h"
#include "text/tokenizer.h"

namespace redraft {
namespace {

// Bytes, and runs of up to 16 spaces or tabs, as the vocabularies of code models have them.
std::shared_ptr<const Tokenizer> tokenizer_with_blanks() {
  constexpr int kLongestRun = 16;
  TokenizerSpec spec;
  spec.pre_tokenizer = "qwen2";
  for (int byte = 0; byte < 256; ++byte)
    spec.tokens.push_back(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
  for (const char blank : {' ', '\t'}) {
    const auto run = [blank](int length) {
      return to_byte_alphabet(std::string(static_cast<std::size_t>(length), blank));
    };
    for (int length = 2; length <= kLongestRun; ++length) {
      spec.tokens.push_back(run(length));
      for (int left = 1; left < length; ++left)
        spec.merges.push_back(run(left) + " " + run(length - left));
    }
  }
  spec.types.assign(spec.tokens.size(), 1);
  spec.tokens.emplace_back("<|endoftext|>");
  spec.types.push_back(3);
  spec.end_of_text = static_cast<TokenId>(spec.tokens.size()) - 1;
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(spec));
  if (!tokenizer) throw std::logic_error(tokenizer.error().message());
  return *tokenizer;
}

// The white space guessed after `written` in a file like `file`, by its step.
std::map<int, std::string> guesses_after(const std::string& file, const std::string& written) {
  const auto tokenizer = tokenizer_with_blanks();
  GuessKinds kinds;
  const Indentation indentation(*tokenizer, tokenizer->encode(file), kinds);
  const std::vector<TokenId> tokens = tokenizer->encode("\n" + written);
  std::vector<Guess> guesses;
  indentation.add_guesses({.tokens = tokens, .output = tokens, .original = {}}, guesses);
  std::map<int, std::string> found;
  for (const Guess& guess : guesses) {
    EXPECT_EQ(kinds[guess.kind].origin, DraftOrigin::kLayout);
    found[guess.match] = tokenizer->bytes(guess.token);
  }
  return found;
}

using Found = std::map<int, std::string>;
constexpr const char* kFours = "def f():\n    if x:\n        return\n";

TEST(Indentation, KeepsTheDepthOfTheLineBefore) {
  // The last blank is part of the next word's token.
  EXPECT_EQ(guesses_after(kFours, "    a = 1\n        b = 2\n"),
            (Found{{Indentation::kSame, std::string(7, ' ')},
                   {Indentation::kShallower, std::string(3, ' ')},
                   {Indentation::kDeeper, std::string(11, ' ')}}));
}

TEST(Indentation, IndentsAfterAnOpeningLine) {
  for (const char* opening : {"    if x:\n", "    f(\n", "    {\n", "    x = [  \r\n"}) {
    EXPECT_EQ(guesses_after(kFours, opening),
              (Found{{Indentation::kSameAfterOpening, std::string(3, ' ')},
                     {Indentation::kDeeperAfterOpening, std::string(7, ' ')}}))
        << opening;
  }
}

TEST(Indentation, TheFileTellsHowWideAStepIs) {
  EXPECT_EQ(
      guesses_after("a {\n  b {\n    c\n  }\n}\n", "  b {\n").at(Indentation::kDeeperAfterOpening),
      std::string(3, ' '));
  EXPECT_EQ(
      guesses_after("a {\n\tb {\n\t\tc\n\t}\n}\n", "\tb {\n").at(Indentation::kDeeperAfterOpening),
      "\t");
  EXPECT_EQ(guesses_after("", "    if x:\n").at(Indentation::kDeeperAfterOpening),
            std::string(7, ' '));
}

TEST(Indentation, BlankLinesDoNotCount) {
  EXPECT_EQ(guesses_after(kFours, "        a = 1\n\n   \n").at(Indentation::kSame),
            std::string(7, ' '));
}

TEST(Indentation, GuessesNothingWhereThereIsNothingToGoBy) {
  for (const char* written : {"", "    a = 1", "    a = 1\n   ", "\n\n", "\ta = 1\n"})
    EXPECT_TRUE(guesses_after(kFours, written).empty()) << written;
  // Without indentation the line begins with a word, which is not guessed.
  EXPECT_EQ(guesses_after(kFours, "a\nb = 1\n"), (Found{{Indentation::kDeeper, "   "}}));
  EXPECT_TRUE(guesses_after(kFours, std::string(2000, 'y') + "\n").empty());
}

}  // namespace
}  // namespace redraft
