#include "decoding/drafting/lookup/seam_index.h"

#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

class Seams : public testing::Test {
 protected:
  std::vector<SuffixIndex::Match> find(const std::string& original, const std::string& output,
                                       int place = 0) const {
    return SeamIndex(tokenizer->encode(original), tokenizer.get())
        .find_near(tokenizer->encode(output), place, 9);
  }

  std::shared_ptr<const Tokenizer> tokenizer = word_tokenizer({"_name", "name", "*)+;"});
};

TEST_F(Seams, TheSameTextInOtherTokensIsFound) {
  ASSERT_NE(tokenizer->encode("_name").back(), tokenizer->encode("name").back());
  const auto matches = find("name = 1", "my_name");
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].next, 1) << "behind the token `name`";
  EXPECT_EQ(matches[0].length, 1);
}

TEST_F(Seams, AMatchIsAsLongAsTheWholeTokensInIt) {
  const auto matches = find("a)+;b", "1*)+;");
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].next, 4);
  EXPECT_EQ(matches[0].length, 3) << "of them the output's last token is made";
  const auto longer = find("ab_name;", "abc_name");
  EXPECT_TRUE(longer.empty()) << "equal tokens are the other index's";
}

TEST_F(Seams, TheNearestAheadComesFirstAndTwoBytesAreTooFew) {
  const auto matches = find("name+name+name+", "_name", 3);
  ASSERT_EQ(matches.size(), 3U);
  EXPECT_EQ(matches[0].next, 3);
  EXPECT_EQ(matches[1].next, 5);
  EXPECT_EQ(matches[2].next, 1);
  EXPECT_TRUE(find("xxme+1", "_name").empty());
}

TEST_F(Seams, NothingIsFoundInNothing) {
  EXPECT_TRUE(find("", "name").empty());
  EXPECT_TRUE(find("name", "").empty());
  const SeamIndex without(std::vector<TokenId>{1, 2, 3}, nullptr);
  EXPECT_TRUE(without.find_near(std::vector<TokenId>{1, 2, 3}, 0, 9).empty());
}

}  // namespace
}  // namespace redraft
