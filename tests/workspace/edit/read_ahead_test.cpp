#include "workspace/edit/read_ahead.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "tests/workspace/workspace_fixture.h"

namespace redraft {
namespace {

using testing::HasSubstr;

// What a client hears of a place that it announced.
struct Heard {
  std::vector<ByteRange> regions;
  std::vector<double> fractions;
  std::vector<std::string> ends;
};

class ReadAheadTest : public WorkspaceTest {
 protected:
  ReadAhead::Observer listen(bool reads = true) {
    return {.reads = reads,
            .on_region = [this](ByteRange region) { heard_.regions.push_back(region); },
            .on_read = [this](double fraction) { heard_.fractions.push_back(fraction); },
            .on_end = [this](const std::string& why) { heard_.ends.push_back(why); }};
  }
  static EditRequest at(std::size_t offset, const std::string& instruction = {}) {
    EditRequest request;
    request.instruction = instruction;
    request.range = ByteRange{offset, offset};
    request.scope = EditScope::kAround;
    request.decoder = *parse_decoder_name("ar");
    return request;
  }
  Result<void> announce(std::size_t offset, bool reads = true, std::int64_t version = 1) {
    return workspace_->announce(kUri, version, at(offset), listen(reads));
  }
  EditId edit_at(std::size_t offset) { return *workspace_->edit(kUri, 1, at(offset, "more")); }
  // A region that was found is read by a job of its own.
  void settle() {
    for (int i = 0; i < 3; ++i) finish();
  }
  // What an edit there reads and finds.
  DecodeStatistics statistics_of(EditId id) {
    settle();
    return results_.at(id).statistics;
  }

  Heard heard_;
};

const std::size_t kInSecond = kText.find("value + 2");

TEST_F(ReadAheadTest, AnAnnouncedEditFindsAllButItsInstructionRead) {
  start_with([](const ScriptedPrompt& prompt) { return "x\n" + prompt.fence; });
  open();
  ASSERT_TRUE(announce(kInSecond));
  settle();
  ASSERT_EQ(heard_.regions.size(), 1U);
  EXPECT_EQ(kText.substr(heard_.regions[0].begin, heard_.regions[0].size()),
            "def second(value):\n    return value + 2\n");
  ASSERT_FALSE(heard_.fractions.empty());
  EXPECT_TRUE(std::ranges::is_sorted(heard_.fractions));
  EXPECT_EQ(heard_.fractions.back(), 1);
  EXPECT_EQ(heard_.ends, std::vector<std::string>{""});

  const DecodeStatistics announced = statistics_of(edit_at(kInSecond));
  // One token per byte: the instruction, and what comes after it.
  EXPECT_LT(announced.prompt_tokens - announced.cached_prompt_tokens, 60);
  EXPECT_GT(announced.cached_prompt_tokens, 400);
}

TEST_F(ReadAheadTest, ReadingMakesNoDifferenceToTheAnswer) {
  std::vector<std::string> prompts;
  const ScriptedAnswer answer = [&](const ScriptedPrompt& prompt) {
    prompts.push_back(prompt.text);
    return "def second(value):\n    return 3\n" + prompt.fence;
  };
  start_with(answer);
  open();
  const EditId cold = edit_at(kInSecond);
  settle();
  const std::string without = ends_[cold].text;
  ends_.clear();
  over_.clear();
  start_with(answer);
  open();
  ASSERT_TRUE(announce(kInSecond));
  settle();
  const EditId warm = edit_at(kInSecond);
  settle();
  EXPECT_EQ(ends_[warm].text, without);
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(prompts[0], prompts[1]) << "a small file is shown whole in any case";
}

// What was read is the beginning of the prompt that the edit has in any case.
TEST_F(ReadAheadTest, AnAnnouncedEditOfALargeFileHasTheSamePrompt) {
  std::string text = kText;
  for (int i = 0; i < 2000; ++i) text += "\nnumber_" + std::to_string(i) + " = 1";
  std::vector<std::string> prompts;
  const ScriptedAnswer answer = [&](const ScriptedPrompt& prompt) {
    prompts.push_back(prompt.text);
    return "def second(value):\n    return 3\n" + prompt.fence;
  };
  for (const bool is_announced : {false, true}) {
    results_.clear();
    ends_.clear();
    over_.clear();
    start_with(answer);
    open(text);
    if (is_announced) {
      ASSERT_TRUE(announce(kInSecond));
      settle();
    }
    const DecodeStatistics statistics = statistics_of(edit_at(kInSecond));
    const int unread = statistics.prompt_tokens - statistics.cached_prompt_tokens;
    EXPECT_EQ(unread < 60, is_announced) << unread;
  }
  ASSERT_EQ(prompts.size(), 2U);
  EXPECT_EQ(prompts[0], prompts[1]);
}

TEST_F(ReadAheadTest, OnlyTheRegionIsLookedForIfReadingIsOff) {
  start_with([](const ScriptedPrompt& prompt) { return "x\n" + prompt.fence; });
  open();
  ASSERT_TRUE(announce(kInSecond, /*reads=*/false));
  settle();
  EXPECT_EQ(heard_.regions.size(), 1U);
  EXPECT_TRUE(heard_.fractions.empty());
  EXPECT_EQ(heard_.ends, std::vector<std::string>{""});
  const DecodeStatistics statistics = statistics_of(edit_at(kInSecond));
  EXPECT_EQ(statistics.cached_prompt_tokens, 0);
}

TEST_F(ReadAheadTest, ANewerPlaceEndsTheOlderOne) {
  start_with([](const ScriptedPrompt& prompt) { return "x\n" + prompt.fence; });
  open();
  ASSERT_TRUE(announce(kInSecond));
  ASSERT_TRUE(announce(kText.find("value + 3")));
  settle();
  ASSERT_EQ(heard_.ends.size(), 2U);
  EXPECT_THAT(heard_.ends[0], HasSubstr("another request"));
  EXPECT_EQ(heard_.ends[1], "");
  EXPECT_EQ(heard_.regions.size(), 1U);
}

TEST_F(ReadAheadTest, AnEditEndsItAndRunsAtOnce) {
  start_with([](const ScriptedPrompt& prompt) { return "x\n" + prompt.fence; });
  open();
  ASSERT_TRUE(announce(kInSecond));
  const EditId id = edit_at(kText.find("value + 3"));
  EXPECT_EQ(heard_.ends.size(), 1U) << "stopped before the edit is queued";
  settle();
  EXPECT_EQ(ends_[id].outcome, EditOutcome::kDone);
  EXPECT_TRUE(heard_.fractions.empty());
}

TEST_F(ReadAheadTest, ClosingTheDocumentEndsIt) {
  start_with([](const ScriptedPrompt& prompt) { return "x\n" + prompt.fence; });
  open();
  ASSERT_TRUE(announce(kInSecond));
  workspace_->close(kUri);
  settle();
  EXPECT_EQ(heard_.ends.size(), 1U);
  EXPECT_TRUE(heard_.regions.empty());
}

TEST_F(ReadAheadTest, WhatCannotBeEditedIsNotAnnounced) {
  start_with([](const ScriptedPrompt& prompt) { return "x\n" + prompt.fence; });
  open();
  EXPECT_THAT(announce(kInSecond, true, 2).error().message(), HasSubstr("at version 1"));
  EXPECT_THAT(announce(kText.size() + 1).error().message(), HasSubstr("outside"));
  EXPECT_FALSE(workspace_->announce("file:///other.py", 1, at(0), {}));
  EXPECT_TRUE(heard_.ends.empty());
}

TEST_F(ReadAheadTest, AModelThatCannotBeLoadedIsReported) {
  start(
      [](const LoadControl&) -> Result<std::unique_ptr<Engine>> { return Error("no such model"); });
  open();
  ASSERT_TRUE(announce(kInSecond));
  settle();
  ASSERT_EQ(heard_.ends.size(), 1U);
  EXPECT_THAT(heard_.ends[0], HasSubstr("no such model"));
}

}  // namespace
}  // namespace redraft
