#include "mcp/tools/placing.h"

#include <gmock/gmock.h>

namespace redraft::mcp {
namespace {

using testing::HasSubstr;

const std::string kText = "def first():\n    return 1\n\n\ndef second():\n    return 1\n";

PlacingTask task(std::string change) {
  return {.path = "a.py", .language = "python", .text = kText, .change = std::move(change)};
}

TEST(Placing, SurvivesItsJson) {
  const Result<Placing> placing = place(task("def first():\n    return 2\n"));
  ASSERT_TRUE(placing);
  const Result<Placing> read = placing_of(to_json(placing), kText);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->edits.size(), 1U);
  EXPECT_EQ(read->edits[0].edit, placing->edits[0].edit);
  EXPECT_EQ(read->edits[0].decided_by, "tree");
  const Result<Placing> error = placing_of(to_json(Result<Placing>(Error("why"))), kText);
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message(), "why");
}

TEST(Placing, AnUncertainPlaceIsShownWithItsLines) {
  const Result<Placing> placing = place(task("@@ @@\n-    return 1\n+    return 2\n"));
  ASSERT_TRUE(placing);
  EXPECT_TRUE(placing->edits.empty());
  EXPECT_THAT(placing->why_none, HasSubstr("line 2; line 6"));
}

TEST(Placing, WithoutAnyPlaceASmallFileIsShown) {
  const Result<Placing> placing = place(task("@@ @@\n-    print(x)\n+    print(y)\n"));
  ASSERT_TRUE(placing);
  EXPECT_THAT(placing->why_none, HasSubstr("1| def first():\n2|     return 1\n"));
}

TEST(Placing, AnAnswerThatDoesNotFitTheTextIsRejected) {
  const auto answer = [](std::size_t begin, std::size_t end, std::size_t next) {
    Json json = to_json(Result<Placing>(Placing()));
    json["edits"].push_back(
        {{"begin", begin}, {"end", end}, {"text", "x"}, {"by", "lines"}, {"doubt", ""}});
    json["edits"].push_back(
        {{"begin", next}, {"end", next}, {"text", "x"}, {"by", "lines"}, {"doubt", ""}});
    return placing_of(json, "aé");
  };
  EXPECT_TRUE(answer(0, 1, 3));
  EXPECT_FALSE(answer(0, 2, 3));  // within a character
  EXPECT_FALSE(answer(1, 0, 3));
  EXPECT_FALSE(answer(1, 3, 0));
  EXPECT_FALSE(answer(0, 1, 4));
  EXPECT_FALSE(placing_of(Json::array(), "a"));
  EXPECT_FALSE(placing_of({{"edits", 7}}, "a"));
}

}  // namespace
}  // namespace redraft::mcp
