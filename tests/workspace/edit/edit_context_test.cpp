#include "workspace/edit/edit_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// 200 functions of four lines.
std::string functions() {
  std::string text = "import os\n";
  for (int i = 0; i < 200; ++i) {
    const std::string name = "function_" + std::to_string(i);
    text += "\ndef " + name + "(x):\n    y = x + " + std::to_string(i) + "\n    return y\n";
  }
  return text;
}

EditRegion region_of(const std::string& text, const std::string& what) {
  const std::size_t begin = text.find(what);
  return *EditRegion::make(*Document::make("a.py", 1, text, "python"), EditScope::kSymbol,
                           ByteRange{begin, begin});
}

// Lines that the context shows are lines of the file, in its order.
void expect_in_order(const std::string& shown, const std::string& text) {
  std::size_t at = 0;
  for (std::size_t begin = 0; begin < shown.size();) {
    const std::size_t end = shown.find('\n', begin) + 1;
    const std::string line = shown.substr(begin, end - begin);
    begin = end;
    if (line == "...\n") continue;
    at = text.find(line, at);
    ASSERT_NE(at, std::string::npos) << line;
    at += line.size() - 1;
  }
}

TEST(EditContext, OfASmallFileAllThatIsNotTheRegion) {
  const std::string text = "a = 1\n\ndef f():\n    return a\n\nb = 2\n";
  const EditContext context = edit_context(region_of(text, "return"), 1000, 500);
  EXPECT_EQ(context.overview, "");
  EXPECT_EQ(context.before, "a = 1\n\n");
  EXPECT_EQ(context.after, "\nb = 2\n");
}

TEST(EditContext, OfALargeFileAnOverviewAndTheNearestLines) {
  const std::string text = functions();
  const EditRegion region = region_of(text, "y = x + 100\n");
  const EditContext context = edit_context(region, 2000, 1000);
  EXPECT_LE(context.overview.size(), 1000U);
  EXPECT_LE(context.overview.size() + context.before.size() + context.after.size(), 2100U);
  EXPECT_THAT(context.overview, StartsWith("import os\ndef function_0(x):\ndef function_1(x):\n"));
  EXPECT_THAT(context.before, EndsWith("def function_99(x):\n    y = x + 99\n    return y\n\n"));
  EXPECT_THAT(context.before, StartsWith("...\n"));
  EXPECT_THAT(context.after, StartsWith("\ndef function_101(x):\n    y = x + 101\n    return y\n"));
  EXPECT_THAT(context.after, EndsWith("...\n"));
}

// The next region's prompt begins with the tokens of this one's.
TEST(EditContext, TheOverviewIsTheSameForAllRegionsOfAFile) {
  const std::string text = functions();
  const EditContext one = edit_context(region_of(text, "y = x + 3\n"), 2000, 1000);
  const EditContext other = edit_context(region_of(text, "y = x + 150\n"), 600, 500);
  const EditContext more = edit_context(region_of(text, "y = x + 150\n"), 9000, 1000);
  EXPECT_EQ(one.overview, more.overview);
  EXPECT_THAT(one.overview, StartsWith("import os\n"));
  EXPECT_THAT(other.overview, StartsWith("import os\n"));
}

TEST(EditContext, WhatTheRegionIsInAndWhatItNamesComesFirst) {
  const std::string text = functions() +
                           "\nclass Store:\n    limit = 10\n\n    def get(self, key):\n"
                           "        return function_42(key)\n" +
                           functions();
  const EditContext context = edit_context(region_of(text, "return function_42"), 400, 0);
  EXPECT_THAT(context.before, HasSubstr("...\ndef function_42(x):\n...\n"));
  EXPECT_THAT(context.before, HasSubstr("class Store:\n    limit = 10\n"));
  EXPECT_LE(context.before.size() + context.after.size(), 430U);
}

// Its own lines are shown elsewhere: neither what it defines nor what it is inside of may use up
// room for them.
TEST(EditContext, TheRegionItselfTakesNoRoom) {
  std::string text = "class Large:\n";
  for (int i = 0; i < 100; ++i) text += "    field_" + std::to_string(i) + " = 1\n";
  const std::size_t begin = text.find("    field_2 "), end = text.find("    field_90 ");
  const EditRegion region = *EditRegion::make(*Document::make("a.py", 1, text, "python"),
                                              EditScope::kSelection, ByteRange{begin, end});
  const EditContext context = edit_context(region, 130, 0);
  EXPECT_EQ(context.before, "class Large:\n    field_0 = 1\n    field_1 = 1\n");
  EXPECT_EQ(context.after,
            "    field_90 = 1\n    field_91 = 1\n    field_92 = 1\n    field_93 = 1\n"
            "    field_94 = 1\n...\n");
}

TEST(EditContext, CommentsOfTheHeadAreNotImports) {
  const std::string text = "# Copyright\n# All rights reserved\nimport os\n\n" + functions();
  EXPECT_THAT(edit_context(region_of(text, "y = x + 9\n"), 2000, 1000).overview,
              StartsWith("import os\n"));
}

TEST(EditContext, EveryShownLineIsOneOfTheFileInItsOrder) {
  const std::string text = functions();
  for (const char* place : {"import", "function_0(", "function_199(", "function_57("}) {
    const EditContext context = edit_context(region_of(text, place), 1500, 700);
    expect_in_order(context.overview, text);
    expect_in_order(context.before + context.after, text);
  }
}

TEST(EditContext, OfATextInNoLanguageTheLinesAround) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n";
  const std::size_t begin = text.find("line 250\n");
  const EditRegion region = *EditRegion::make(*Document::make("a.xyz", 1, text),
                                              EditScope::kSelection, ByteRange{begin, begin + 3});
  const EditContext context = edit_context(region, 400, 200);
  EXPECT_EQ(context.overview, "");
  EXPECT_THAT(context.before, StartsWith("...\nline 2"));
  EXPECT_THAT(context.before, EndsWith("line 249\n"));
  EXPECT_THAT(context.after, StartsWith("line 251\n"));
  EXPECT_LT(context.before.size() + context.after.size(), 420U);
}

TEST(EditContext, NothingIsShownWithoutRoom) {
  const EditContext context = edit_context(region_of(functions(), "y = x + 9\n"), 0, 0);
  EXPECT_EQ(context.overview, "");
  EXPECT_EQ(context.before + context.after, "...\n...\n");
}

TEST(EditContext, GrowsWithTheSizeOfPrompts) {
  std::size_t context = 0, region = 0;
  for (const PromptSize size : kPromptSizes) {
    EXPECT_GT(edit_context_bytes(size), context) << to_string(size);
    EXPECT_GE(edit_region_bytes(size), region) << to_string(size);
    EXPECT_EQ(edit_region_bytes(size),
              static_cast<std::size_t>(kBytesPerToken * prompt_limits(size).region));
    context = edit_context_bytes(size);
    region = edit_region_bytes(size);
  }
  EXPECT_EQ(min_edit_region_bytes(), edit_region_bytes(PromptSize::kSmall));
  EXPECT_EQ(max_edit_region_bytes(), region);
}

}  // namespace
}  // namespace redraft
