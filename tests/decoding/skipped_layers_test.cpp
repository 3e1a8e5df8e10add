#include "decoding/skipped_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace redraft {
namespace {

TEST(SkippedLayers, AreReadAndWrittenAsText) {
  const auto skipped = parse_skipped_layers("m6+a3-5+a9+m0-0", 10);
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->attention,
            (std::vector<bool>{false, false, false, true, true, true, false, false, false, true}));
  EXPECT_EQ(skipped->feed_forward, (std::vector<bool>{true, false, false, false, false, false, true,
                                                      false, false, false}));
  EXPECT_EQ(to_string(*skipped), "a3-5+a9+m0+m6");
  EXPECT_EQ(to_string(SkippedLayers(3)), "");
  EXPECT_TRUE(SkippedLayers(3).empty());
  EXPECT_FALSE(skipped->empty());
}

TEST(SkippedLayers, ReportsInvalidSets) {
  for (const char* bad :
       {"", "+", "a", "a1+", "+a1", "b1", "1", "a-1", "a1-", "a1-0", "a10", "a1-10", "a1x", "a 1",
        "A1", "a1,a2", "a99999999999999999999", "m1--2", "a1-2-3"}) {
    const auto skipped = parse_skipped_layers(bad, 10);
    ASSERT_FALSE(skipped) << bad;
    EXPECT_THAT(skipped.error().message(), testing::HasSubstr("0 to 9")) << bad;
  }
  EXPECT_FALSE(parse_skipped_layers("a0", 0));
}

TEST(SkippedLayers, EverySetComesBack) {
  std::mt19937 random(1);
  for (int round = 1; round < 2000; ++round) {
    SkippedLayers skipped(1 + round % 40);
    for (std::vector<bool>* kind : {&skipped.attention, &skipped.feed_forward}) {
      for (std::size_t layer = 0; layer < kind->size(); ++layer) (*kind)[layer] = random() % 3 == 0;
    }
    if (skipped.empty()) continue;
    const auto back = parse_skipped_layers(to_string(skipped), skipped.layers());
    ASSERT_TRUE(back) << to_string(skipped);
    ASSERT_EQ(*back, skipped);
  }
}

// Any text is read or refused.
TEST(SkippedLayers, AnyTextEndsWell) {
  std::mt19937 random(2);
  constexpr std::string_view kLetters = "am0129-+";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += kLetters[random() % kLetters.size()];
    const auto skipped = parse_skipped_layers(text, 12);
    if (skipped) {
      EXPECT_EQ(skipped->layers(), 12);
    }
  }
}

}  // namespace
}  // namespace redraft
