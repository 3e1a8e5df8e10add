#include "workspace/workspace.h"

#include <gmock/gmock.h>

#include <atomic>
#include <stdexcept>

#include "tests/workspace/workspace_fixture.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(WorkspaceTest, AnEditStreamsItsHunksAndEnds) {
  start_gated();
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  run_posted();
  EXPECT_EQ(hunks_[id].size(), 2) << "while the model still writes";
  EXPECT_TRUE(ends_.empty());
  gate_.open();
  finish();
  EXPECT_EQ(hunks_[id].size(), 3);
  EXPECT_EQ(ends_[id], (End{EditOutcome::kDone, "", kOneTwoThree}));
  EXPECT_THAT(statuses_, ElementsAre(EngineStatus::State::kLoading, EngineStatus::State::kReady));
  EXPECT_EQ(workspace_->engine_status().target, "scripted");
  EXPECT_EQ(accept_all(id), kOneTwoThree);
  EXPECT_EQ(hunks_of(id), nullptr);
}

TEST_F(WorkspaceTest, HunksAreResolvedOneByOne) {
  start_gated();
  gate_.open();
  open();
  const EditId id = edit();
  finish();
  std::int64_t version = 0;
  const auto first = workspace_->resolve(id, std::vector<int>{1}, &version);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 1);
  EXPECT_EQ(version, 1);
  change(2, first->front());  // the client's own change does not touch the others
  EXPECT_EQ(hunks_of(id)->size(), 2);
  const auto rejected = workspace_->resolve(id, std::vector<int>{0, 7}, &version);
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->size(), 1);
  EXPECT_EQ(accept_all(id), replaced(kOneTwoThree, "value + 10", "value + 1"));
  EXPECT_THAT(workspace_->resolve(id, {}, &version).error().message(),
              HasSubstr("there is no edit"));
}

TEST_F(WorkspaceTest, CancelEndsWithinOnePassAndKeepsWhatWasFinal) {
  start_gated();
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  EXPECT_TRUE(workspace_->cancel(id));
  gate_.open();
  finish();
  EXPECT_EQ(ends_[id].outcome, EditOutcome::kCancelled);
  EXPECT_EQ(ends_[id].error, "");
  EXPECT_EQ(hunks_of(id)->size(), 2);
  EXPECT_FALSE(workspace_->cancel(id));
  EXPECT_EQ(accept_all(id), replaced(kOneTwoThree, "value + 30", "value + 3"));
}

TEST_F(WorkspaceTest, TwoDocumentsAreEditedOneAfterTheOther) {
  constexpr const char* kOther = "file:///b.py";
  start_gated();
  open();
  open("x = 1\n", kOther);
  const EditId first = edit();
  const EditId second = edit(1, kOther);
  gate_.wait_until_reached();
  change(2, {{0, 0}, "\n"});
  EXPECT_TRUE(changed_.count(second) == 0);
  gate_.open();
  finish();
  EXPECT_EQ(ends_[first].outcome, EditOutcome::kDone);
  EXPECT_EQ(ends_[second].outcome, EditOutcome::kDone);
  EXPECT_EQ(ends_[second].text, kOneTwoThree);
  EXPECT_EQ(accept_all(first), "\n" + kOneTwoThree);
}

TEST_F(WorkspaceTest, EditsOfAClosedDocumentEndCleanly) {
  start_gated();
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  workspace_->close(kUri);
  EXPECT_EQ(workspace_->document(kUri), nullptr);
  open("another = 1\n");  // another document with the same name
  gate_.open();
  finish();
  EXPECT_EQ(ends_[id].outcome, EditOutcome::kCancelled);
  EXPECT_THAT(ends_[id].error, HasSubstr("closed"));
  EXPECT_EQ(hunks_of(id), nullptr);
  std::int64_t version = 0;
  EXPECT_FALSE(workspace_->resolve(id, {}, &version));
}

TEST_F(WorkspaceTest, ATextThatCannotBeEditedSaysWhyWhenAsked) {
  start_gated();
  const Result<void> opened = workspace_->open(kUri, 1, std::string("a\0b", 3), "");
  ASSERT_FALSE(opened);
  EXPECT_THAT(workspace_->edit(kUri, 1, {}).error().message(), HasSubstr("NUL byte"));
  EXPECT_THAT(workspace_->edit("file:///none", 1, {}).error().message(), HasSubstr("not open"));
  open();
  EXPECT_THAT(workspace_->edit(kUri, 7, {}).error().message(), HasSubstr("at version 1, not 7"));
  EXPECT_THAT(workspace_->edit(kUri, 1, {}).error().message(), HasSubstr("instruction is empty"));
  EXPECT_THAT(workspace_->change(kUri, 2, {{{0, 1000}, ""}}).error().message(),
              HasSubstr("outside the text"));
  EXPECT_EQ(workspace_->document(kUri), nullptr);
}

TEST_F(WorkspaceTest, ChangesApplyInTheOrderGiven) {
  start_gated();
  open("one\ntwo\n");
  ASSERT_TRUE(workspace_->change(kUri, 5, {{{0, 3}, "1"}, {{2, 5}, "2"}, {{0, 0}, "0\n"}}));
  EXPECT_EQ(workspace_->document(kUri)->text(), "0\n1\n2\n");
  EXPECT_EQ(workspace_->document(kUri)->version(), 5);
  EXPECT_EQ(workspace_->document(kUri)->language_id(), "python");
}

TEST_F(WorkspaceTest, AModelThatCannotBeLoadedFailsTheEditAndIsTriedAgain) {
  int tries = 0;  // decode thread
  start([&](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
    if (++tries == 1) return Error("no such model: nonsense");
    if (tries == 2) throw std::runtime_error("out of memory");
    return as_engine(
        scripted_engine([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; }));
  });
  open();
  const EditId first = edit();
  finish();
  EXPECT_EQ(ends_[first].outcome, EditOutcome::kFailed);
  EXPECT_EQ(ends_[first].error, "no such model: nonsense");
  EXPECT_EQ(workspace_->engine_status().error, "no such model: nonsense");
  const EditId second = edit();
  finish();
  EXPECT_THAT(ends_[second].error, HasSubstr("out of memory"));
  const EditId third = edit();
  finish();
  EXPECT_EQ(ends_[third].outcome, EditOutcome::kDone);
}

TEST_F(WorkspaceTest, CancelWhileTheModelLoadsAsksItNothing) {
  std::atomic<int> n_answers = 0;
  start([&](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
    gate_.pass(kText.size());
    // Not even the prompt fits, which the model would find out if it got the prompt.
    constexpr int kContextLength = 16;
    return as_engine(scripted_engine(
        [&](const ScriptedPrompt& prompt) {
          ++n_answers;
          return kOneTwoThree + prompt.fence;
        },
        {}, kContextLength));
  });
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  run_posted();  // that the model is loading
  EXPECT_TRUE(workspace_->cancel(id));
  run_posted();
  EXPECT_EQ(ends_[id], (End{EditOutcome::kCancelled, "", ""})) << "waits for the model";
  gate_.open();
  finish();
  EXPECT_EQ(n_answers, 0);
  EXPECT_EQ(statuses_.back(), EngineStatus::State::kReady);
}

TEST_F(WorkspaceTest, LoadingTellsHowFarItIs) {
  start([&](const LoadControl& control) -> Result<std::unique_ptr<Engine>> {
    for (const double fraction : {0.25, 0.5, 1.0}) control.progress(fraction);
    return as_engine(
        scripted_engine([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; }));
  });
  open();
  const EditId id = edit();
  finish();
  EXPECT_EQ(ends_[id].outcome, EditOutcome::kDone);
  EXPECT_THAT(loaded_, ElementsAre(0, 0.25, 0.5, 1, 0));
}

TEST_F(WorkspaceTest, AWorkspaceThatGoesStopsTheLoading) {
  std::atomic<bool> stopped = false;
  start([&](const LoadControl& control) -> Result<std::unique_ptr<Engine>> {
    gate_.pass(kText.size());
    while (!control.stop.stop_requested()) std::this_thread::yield();
    stopped = true;
    return Error("loading was cancelled");
  });
  open();
  edit();
  gate_.wait_until_reached();
  gate_.open();
  workspace_.reset();
  EXPECT_TRUE(stopped);
}

TEST_F(WorkspaceTest, AModelThatThrowsFailsOnlyItsEdit) {
  bool thrown = false;  // decode thread
  start_with([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; },
             [&](const ScriptedPrompt&, std::size_t) {
               if (!std::exchange(thrown, true)) throw std::runtime_error("the device is gone");
             });
  open();
  const EditId first = edit();
  finish();
  EXPECT_EQ(ends_[first].outcome, EditOutcome::kFailed);
  EXPECT_THAT(ends_[first].error, HasSubstr("the device is gone"));
  const EditId second = edit();
  finish();
  EXPECT_EQ(ends_[second].outcome, EditOutcome::kDone);
}

TEST_F(WorkspaceTest, GoingAwayInMidEditCallsNobodyBack) {
  start_gated();
  open();
  edit();
  edit(1, kUri, "and another");
  gate_.wait_until_reached();
  std::thread opener([&] { gate_.open(); });
  workspace_.reset();
  opener.join();
  const std::size_t hunks_before = hunks_.size();
  run_posted();
  EXPECT_EQ(hunks_.size(), hunks_before);
  EXPECT_TRUE(ends_.empty());
}

}  // namespace
}  // namespace redraft
