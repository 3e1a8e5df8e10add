#include "decoding/drafting/lookup/draft_memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace redraft {
namespace {

std::vector<TokenId> tokens_from(TokenId first, int count) {
  std::vector<TokenId> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

// Whether `token` is followed by the next number anywhere in the memory.
bool knows(const DraftMemory& memory, TokenId token) {
  for (const SuffixAutomaton* text : {&memory.recent(), &memory.old()}) {
    std::vector<SuffixAutomaton::Next> found;
    text->find_next(text->advance({}, token), 9, found);
    for (const auto& next : found) {
      if (next.token == token + 1) return true;
    }
  }
  return false;
}

TEST(DraftMemory, KeepsTheNewestAndStaysBounded) {
  DraftMemory memory(400);
  for (TokenId text = 0; text < 50; ++text) {
    memory.add(tokens_from(1000 * text, 60));
    EXPECT_TRUE(knows(memory, 1000 * text));
    EXPECT_TRUE(text == 0 || knows(memory, 1000 * (text - 1) + 58));
    EXPECT_LE(memory.recent().size() + memory.old().size(), 400);
  }
  EXPECT_FALSE(knows(memory, 0));
}

TEST(DraftMemory, NothingIsFoundAcrossTheBordersOfTwoTexts) {
  DraftMemory memory;
  memory.add(tokens_from(10, 5));
  memory.add(tokens_from(15, 5));
  EXPECT_TRUE(knows(memory, 13));
  EXPECT_FALSE(knows(memory, 14));
}

TEST(DraftMemory, KeepsTheEndOfATextThatDoesNotFit) {
  DraftMemory memory(100);
  memory.add(tokens_from(0, 1000));
  EXPECT_TRUE(knows(memory, 998));
  EXPECT_FALSE(knows(memory, 500));
  EXPECT_LE(memory.recent().size(), 100);
}

}  // namespace
}  // namespace redraft
