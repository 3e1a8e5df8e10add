#include "bench/quality/suggestion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kit/fill_script.h"

namespace redraft {
namespace {

// One token a byte: all of "abcdef", each likely but the fifth.
struct Place {
  std::vector<TokenId> tokens = fill_tokenizer()->encode("abcdef");
  std::vector<double> logarithms = std::vector<double>(6, std::log(0.99));
  Place() { logarithms[4] = std::log(0.4); }
  std::vector<Suggestion> at(const std::string& reference,
                             const std::vector<double>& thresholds) const {
    return suggestions(*fill_tokenizer(), {.shape = {}, .after = "\n"},
                       {.tokens = tokens, .log_probabilities = logarithms, .stopped = true},
                       reference, thresholds);
  }
};

TEST(Suggestions, AreJudgedAtEachThresholdOfOneDecode) {
  const auto found = Place().at("abcdef\n", {0, 0.5, 0.999});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], (Suggestion{.min_probability = 0, .shown = 6, .right = 6, .whole = true}));
  EXPECT_EQ(found[2], (Suggestion{.min_probability = 0.999}));
  EXPECT_LT(found[1].shown, 6);
  EXPECT_FALSE(found[1].whole);
}

TEST(Suggestions, AreRightUpToTheFirstWrongCharacter) {
  const auto found = Place().at("abcXef", {0});
  EXPECT_EQ(found[0].right, 3);
  EXPECT_EQ(found[0].shown, 6);
  EXPECT_FALSE(found[0].all_right());
}

TEST(Suggestions, AreCountedInWholeCharacters) {
  Place place;
  place.tokens = fill_tokenizer()->encode("a\u00e9b\u00e9");
  place.logarithms = std::vector<double>(place.tokens.size(), 0.0);
  const auto found = place.at("a\u00e9b\u00e8", {0});
  EXPECT_EQ(found[0].shown, 4);
  EXPECT_EQ(found[0].right, 3) << "both have the same first byte";
}

}  // namespace
}  // namespace redraft
