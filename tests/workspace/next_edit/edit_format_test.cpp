#include "workspace/next_edit/edit_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace redraft {
namespace {

std::string format_of(std::string_view names, std::string_view choice = kFormatByModel) {
  const NextEditFormat* format = find_next_edit_format(choice, names);
  return format == nullptr ? "" : std::string(format->name);
}

TEST(NextEditFormat, IsFoundByTheModelsName) {
  EXPECT_EQ(format_of("Sweep Next Edit 1.5B"), "sweep");
  EXPECT_EQ(format_of("sweep-next-edit-0.5b.q8_0.gguf"), "sweep");
  EXPECT_EQ(format_of("sweep-next-edit-1.5b.q8_0.v2.gguf"), "sweep") << "of the 1.5B, not v2";
  EXPECT_EQ(format_of("sweep-next-edit-v2-7b-q4_k_m.gguf"), "sweep-v2");
  EXPECT_EQ(format_of("Sweep_Next_Edit_v2_7B"), "sweep-v2");
  EXPECT_EQ(format_of("zeta"), "zeta");
  EXPECT_EQ(format_of("zeta.Q4_K_M.gguf"), "zeta");
  EXPECT_EQ(format_of("Zeta 2"), "zeta-2");
  EXPECT_EQ(format_of("zeta2-q8_0.gguf"), "zeta-2");
  EXPECT_EQ(format_of("zeta-2.1-Q4_K_M.gguf"), "zeta-2.1");
  EXPECT_EQ(format_of("0323-multi-region-filtered-r3"), "zeta-2.1");
  EXPECT_EQ(format_of("Instinct"), "instinct");
}

TEST(NextEditFormat, OtherModelsHaveNone) {
  for (const char* name : {"", "qwen2.5-coder-1.5b-instruct", "Qwen2.5 Coder 7B Instruct",
                           "sweeper-7b", "next-edit-7b", "betazeta", "instinctive", "\n"})
    EXPECT_EQ(format_of(name), "") << name;
  EXPECT_EQ(format_of("/models/zeta/qwen2.5-coder.gguf"), "") << "the folder is not its name";
}

// What the files call themselves comes first; often that is the model that it was made from.
TEST(NextEditFormat, EitherNameIsEnough) {
  EXPECT_EQ(format_of("Qwen2.5 Coder 0.5B\n/models/sweep-next-edit-0.5b.gguf"), "sweep");
  EXPECT_EQ(format_of("Zeta 2.1\n/models/model.gguf"), "zeta-2.1");
  EXPECT_EQ(format_of("\n/models/zeta-2/"), "zeta-2") << "a folder of a model";
}

TEST(NextEditFormat, ASettingSaysOtherwise) {
  EXPECT_EQ(format_of("zeta", "none"), "");
  EXPECT_EQ(format_of("my-model", "instinct"), "instinct");
  EXPECT_EQ(format_of("zeta", "sweep-v2"), "sweep-v2");
  EXPECT_EQ(format_of("zeta", "no such name"), "");
}

PromptBlock prompt_block(std::string_view text) { return {.text = text}; }

TEST(NextEditFormat, EachBlockHasOnlyPlaceholdersThatItCanFill) {
  for (const NextEditFormat& format : next_edit_formats()) {
    for (const PromptBlock& block : format.blocks)
      EXPECT_TRUE(is_well_formed(block)) << format.name << ": " << block.text;
  }
  using For = PromptBlock::For;
  EXPECT_TRUE(is_well_formed(prompt_block("{path}{range}\n{window}")));
  EXPECT_TRUE(is_well_formed({.each = For::kRelatedFile, .text = "{text}"}));
  EXPECT_TRUE(is_well_formed({.each = For::kChange, .text = "{before}{after}{diff}"}));
}

// The first would loop forever, the second would silently become nothing.
TEST(NextEditFormat, RejectsABlockWithAnUnclosedBraceOrAnUnknownName) {
  using For = PromptBlock::For;
  for (const std::string_view text : {"{path", "a{", "{path}{", "{{path}}", "path}", "{paths}",
                                      "{}", "{ path}", "{path {window}}"})
    EXPECT_FALSE(is_well_formed(prompt_block(text))) << text;
  EXPECT_FALSE(is_well_formed(prompt_block("{text}"))) << "of no related file";
  EXPECT_FALSE(is_well_formed(prompt_block("{diff}"))) << "of no change";
  EXPECT_FALSE(is_well_formed({.each = For::kChange, .text = "{text}"}));
  EXPECT_FALSE(is_well_formed({.each = For::kChange, .text = "{diff}", .between = "{path}"}))
      << "the texts around items are taken as they are";
}

// A row that lacks something would ask nonsense.
TEST(NextEditFormat, EachIsComplete) {
  std::set<std::string_view> names;
  for (const NextEditFormat& format : next_edit_formats()) {
    const std::string name(format.name);
    EXPECT_TRUE(names.insert(format.name).second) << name << " is there twice";
    EXPECT_FALSE(format.names.front().empty()) << name;
    std::string all;
    for (const PromptBlock& block : format.blocks) all += block.text;
    const bool has_window = all.find("{window}") != std::string::npos;
    EXPECT_NE(has_window, all.find("{marked}") != std::string::npos) << name;
    EXPECT_EQ(has_window, format.cursor.empty())
        << name << ": it has a place for the cursor's mark";
    EXPECT_TRUE(format.window.bytes > 0 || format.window.lines_below > 0) << name;
    EXPECT_GT(format.history.most, 0) << name;
    EXPECT_TRUE(all.find("{diff}") != std::string::npos ||
                all.find("{before}") != std::string::npos)
        << name;
    const auto is_reserved = [&](std::string_view text) {
      for (const std::string_view reserved : format.reserved) {
        if (!reserved.empty() && text.find(reserved) != std::string_view::npos) return true;
      }
      return text.empty();
    };
    EXPECT_TRUE(is_reserved(format.cursor)) << name;
    for (const std::string_view token : format.tokens) EXPECT_TRUE(is_reserved(token)) << token;
    for (const std::string_view stop : format.stops) EXPECT_TRUE(is_reserved(stop)) << stop;
    EXPECT_EQ(format.answer == NextEditFormat::Answer::kSpan, format.max_region_lines > 0) << name;
  }
}

}  // namespace
}  // namespace redraft
