// When results of an earlier run may be added to.
#include "lab/bench/same_settings.h"

#include <gtest/gtest.h>

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

Json settings() {
  return {{"bench", "edits"},   {"data", {{{"file", "/a/x.jsonl"}, {"sha256", "12"}}}},
          {"decoders", {"ar"}}, {"limit", 3},
          {"warm", true},       {"draft_cost", 0.4},
          {"program", "1"}};
}

std::string difference(const Json& stored, const Json& wanted) {
  const auto document = JsonDocument::parse("s", stored.dump());
  if (!document) return document.error().message();
  return first_difference(document->root(), wanted, {"decoders"}).value_or("none");
}

TEST(SameSettings, NamesTheFirstDifference) {
  EXPECT_EQ(difference(settings(), settings()), "none");
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, Json>>{{"bench", "dialogue"},
                                                           {"limit", 4},
                                                           {"limit", "3"},
                                                           {"warm", false},
                                                           {"draft_cost", 0.5},
                                                           {"program", nullptr},
                                                           {"more", 1}}) {
    Json other = settings();
    other[key] = value;
    EXPECT_EQ(difference(settings(), other), key);
    EXPECT_EQ(difference(other, settings()), key);
  }
}

TEST(SameSettings, DecodersMayDifferAndFilesMayBeElsewhere) {
  Json other = settings();
  other["decoders"].push_back("redraft");
  other["data"][0]["file"] = "/b/x.jsonl";
  EXPECT_EQ(difference(settings(), other), "none");
  other["data"][0]["sha256"] = "13";
  EXPECT_EQ(difference(settings(), other), "data");
  other = settings();
  other["data"].push_back(other["data"][0]);
  EXPECT_EQ(difference(settings(), other), "data");
}

}  // namespace
}  // namespace redraft::cli
