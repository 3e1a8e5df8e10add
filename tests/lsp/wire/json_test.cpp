#include "lsp/wire/json.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft::lsp {
namespace {

TEST(Json, ReadsWhatItWrites) {
  const Json value = {{"text", "a\r\n\t\"\\é😀"}, {"list", {1, -2, 2.5, true, nullptr}}};
  const Result<Json> read = parse_json(to_text(value));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, value);
}

TEST(Json, RefusesMalformedText) {
  for (const char* text :
       {"", "{", "{\"a\":}", "[1,]", "nul", "{} {}", "'a'", "\"\x80\"", "\"\xC3\"",
        "\"\xED\xA0\x80\"", "\"\\u12\"", "\"a\nb\"", "1e999999", "{\"a\" 1}"}) {
    const Result<Json> read = parse_json(text);
    EXPECT_FALSE(read) << text;
  }
}

TEST(Json, TheErrorDoesNotQuoteTheText) {
  const Result<Json> read = parse_json("{\"text\": \"a secret\" \"another secret\"}");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message().find("secret"), std::string::npos) << read.error().message();
}

// However short they are in the text: each takes memory.
TEST(Json, RefusesTooManyValuesAndAllowsTheLimit) {
  const auto list = [](std::size_t values, const std::string& value) {
    std::string text = "[";
    text.reserve(values * (value.size() + 1));
    for (std::size_t i = 1; i < values; ++i) text += value + ",";
    return text + value + "]";
  };
  for (const char* value : {"0", "[]", "{ }", "\"[,\""}) {
    EXPECT_TRUE(parse_json(list(kValueLimit - 1, value))) << value;
    EXPECT_FALSE(parse_json(list(kValueLimit, value))) << "with the list itself";
  }
  EXPECT_TRUE(parse_json(list(kValueLimit / 2 - 1, "[ 0]")));
  EXPECT_FALSE(parse_json(list(kValueLimit / 2, "[ 0]")));
  for (const char* value : {"0", "[]", "{}", "\"\"", "{\"a\":1}"}) {
    const std::string text = list(kValueLimit + 1, value);
    EXPECT_TRUE(has_too_many_values(text)) << value;
    const Result<Json> read = parse_json(text);
    ASSERT_FALSE(read) << value;
    EXPECT_NE(read.error().message().find("1048576 values"), std::string::npos);
  }
  EXPECT_FALSE(has_too_many_values('"' + std::string(3 * kValueLimit, ',') + '"')) << "no values";
}

TEST(Json, RefusesDeepNestingAndAllowsTheLimit) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(kNestingLimit)));
  EXPECT_FALSE(parse_json(nested(kNestingLimit + 1)));
  EXPECT_FALSE(parse_json(nested(8'000'000)));
  EXPECT_FALSE(parse_json(std::string(8'000'000, '[')));
  EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\""));
}

TEST(Json, HalfAnEmojiBecomesTheReplacementCharacter) {
  const Result<Json> read =
      parse_json(R"(["\ud83d", "\ude00x", "\ud83d\ude00", "\\ud83d", "\ud83d\n\ud83d\ude00"])");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (Json{"\uFFFD", "\uFFFDx", "😀", "\\ud83d", "\uFFFD\n😀"}));
}

TEST(Json, AWholeNumberIsAnIntegerHoweverItIsWritten) {
  const Result<Json> read =
      parse_json(R"({"a": [1.0, -2.00, 4e2, -0.0, {"b": 9007199254740992.0}]})");
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), R"({"a":[1,-2,400,0,{"b":9007199254740992}]})");
  EXPECT_TRUE(read->at("a")[0].is_number_unsigned()) << "as 1 is";
  EXPECT_EQ(to_text(*parse_json("[0.5, 1e300, 7]")), "[0.5,1e+300,7]");
}

TEST(Json, WritingMendsBytesThatAreNotText) { EXPECT_EQ(to_text(Json("a\xFFz")), "\"a\uFFFDz\""); }

}  // namespace
}  // namespace redraft::lsp
