#include "support/json/json_document.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <vector>

namespace redraft {
namespace {

JsonDocument parsed(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse("c.json", text);
  EXPECT_TRUE(document) << document.error().message();
  return std::move(*document);
}

std::string parse_error(std::string_view text, const JsonLimits& limits = {}) {
  const Result<JsonDocument> document = JsonDocument::parse("c.json", text, limits);
  return document ? "(parsed)" : document.error().message();
}

template <typename T>
std::string message(const Result<T>& result) {
  return result ? "(found)" : result.error().message();
}

TEST(JsonDocument, GivesEveryKindOfValue) {
  const JsonDocument document = parsed(
      R"({"a": 3, "b": -4.5, "c": "é\u00e9\ud83d\ude42", "d": [true, false, null], "e": {}, "f": 1e3})");
  const JsonValue root = document.root();
  EXPECT_EQ(*root.at("a")->integer(0, 10), 3);
  EXPECT_EQ(*root.at("a")->number(), 3.0);
  EXPECT_EQ(*root.at("b")->number(), -4.5);
  EXPECT_EQ(*root.at("c")->text(), "éé🙂");
  EXPECT_EQ(root.at("d")->size(), 3U);
  EXPECT_EQ(root.at("e")->size(), 0U);
  EXPECT_EQ(*root.at("f")->number(), 1000.0);
  std::vector<JsonValue::Kind> kinds;
  const JsonValue list = *root.at("d");
  for (const JsonValue each : list) kinds.push_back(each.kind());
  EXPECT_EQ(kinds,
            (std::vector{JsonValue::Kind::kBool, JsonValue::Kind::kBool, JsonValue::Kind::kNull}));
  std::string keys;
  for (const JsonValue each : root) keys += each.key();
  EXPECT_EQ(keys, "abcdef");
}

TEST(JsonDocument, LookUpsOfOptionalMembersTakeMissingAndNullAlike) {
  const JsonDocument document = parsed(R"({"a": null, "b": [1]})");
  EXPECT_FALSE(document.root().find("a"));
  EXPECT_FALSE(document.root().find("x"));
  EXPECT_TRUE(document.root().find("b"));
  EXPECT_FALSE(document.root().find("b")->find("a"));
}

TEST(JsonDocument, ErrorsNameTheFileAndThePath) {
  const JsonDocument document = parsed(
      R"({"x": {"y": 1}, "rope_scaling": {"type": "yarn", "factor": "2", "n": [[0], 3.0]}})");
  const JsonValue scaling = *document.root().at("rope_scaling");
  EXPECT_EQ(message(scaling.at("factor")->number()),
            "c.json: rope_scaling.factor: expected a number");
  EXPECT_EQ(message(scaling.at("base")), "c.json: rope_scaling: has no base");
  EXPECT_EQ(message(document.root().at("z")), "c.json: has no z");
  EXPECT_EQ(message(scaling.at("type")->boolean()),
            "c.json: rope_scaling.type: expected true or false");
  EXPECT_EQ(message(scaling.at("n")->text()), "c.json: rope_scaling.n: expected a string");
  EXPECT_EQ(message(scaling.array()), "c.json: rope_scaling: expected an array");
  const JsonValue list = *scaling.at("n");
  EXPECT_EQ(message(list.object()), "c.json: rope_scaling.n: expected an object");
  std::vector<std::string> reasons;
  for (const JsonValue each : list) reasons.push_back(message(each.integer(0, 9)));
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"c.json: rope_scaling.n[0]: expected a whole number",
                                      "c.json: rope_scaling.n[1]: expected a whole number"}));
  EXPECT_EQ(message(document.root().at("x")->at("y")->integer(2, 5)),
            "c.json: x.y: 1 is outside 2..5");
}

TEST(JsonDocument, RefusesWhatIsNotJson) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\" 1}", "nul", "{} {}", "[1e999]", "'a'", "[NaN]"}) {
    EXPECT_NE(parse_error(text), "(parsed)") << text;
  }
  EXPECT_EQ(parse_error("[1, }"), "c.json: malformed JSON at byte 5");
  EXPECT_EQ(parse_error("[\"a\xff\"]"), "c.json: not UTF-8 at byte 4");
  EXPECT_EQ(parse_error("[1e999]"), "c.json: a number out of range at byte 6");
}

TEST(JsonDocument, RefusesAKeyThatComesTwice) {
  EXPECT_EQ(parse_error(R"({"a": [{"k": 1, "l": 2, "\u006b": 3}]})"),
            "c.json: a[0].k: appears twice");
  EXPECT_EQ(parse_error(R"({"a": {"k": 1}, "b": {"k": 1}, "k": 1})"), "(parsed)");
}

TEST(JsonDocument, KeepsToItsLimits) {
  EXPECT_EQ(parse_error("[[[]]]", {.depth = 2}), "c.json: nested deeper than 2 levels");
  EXPECT_EQ(parse_error("[[],[]]", {.depth = 2}), "(parsed)");
  EXPECT_EQ(parse_error("[1,2,3]", {.values = 3}), "c.json: has more than 3 values");
  EXPECT_EQ(parse_error("[1,2,3]", {.bytes = 6}),
            "c.json: 7 bytes is too large; redraft reads files like this up to 6");
  EXPECT_EQ(parse_error(std::string(100000, '[')), "c.json: nested deeper than 64 levels");
}

TEST(JsonDocument, OpensFiles) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "redraft_json_document_test.json";
  std::ofstream(path) << R"({"a": 1})";
  EXPECT_EQ(*JsonDocument::open(path)->root().at("a")->integer(0, 1), 1);
  EXPECT_EQ(message(JsonDocument::open(path, {.bytes = 7})),
            path.string() + ": 8 bytes is too large; redraft reads files like this up to 7");
  std::filesystem::remove(path);
  EXPECT_EQ(message(JsonDocument::open(path)), path.string() + ": No such file or directory");
  EXPECT_EQ(message(JsonDocument::open(::testing::TempDir())),
            std::string(::testing::TempDir()) + ": not a regular file");
}

// Any bytes are parsed or refused, and what is parsed can be walked.
TEST(JsonDocument, DamageNeverEscapes) {
  const std::string good =
      R"({"a": [1, 2.5, {"b": "c\n\u00e9"}], "d": {"e": [[], {}], "f": null}})";
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (int i = 0; i < 2; ++i) text[random() % text.size()] = static_cast<char>(random());
    const Result<JsonDocument> document = JsonDocument::parse("c.json", text);
    refused += !document;
    if (!document) continue;
    const auto walk = [](const auto& self, JsonValue value) -> std::size_t {
      std::size_t n = value.error("").message().size();
      for (const JsonValue child : value) n += self(self, child);
      return n;
    };
    EXPECT_GT(walk(walk, document->root()), 0U);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 5000);
}

}  // namespace
}  // namespace redraft
