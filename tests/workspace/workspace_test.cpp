#include "workspace/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "tests/kit/scripted_engine.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kUri = "file:///a.py";
const std::string kText =
    "def first(value):\n    return value + 1\n\n\ndef second(value):\n    return value + 2\n\n\n"
    "def third(value):\n    return value + 3\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

const std::string kOneTwoThree =
    replaced(replaced(replaced(kText, "value + 1", "value + 10"), "value + 2", "value + 20"),
             "value + 3", "value + 30");

// A model that stops and waits at places of its answer until a test lets it go on.
class Gate {
 public:
  explicit Gate(std::size_t at) : at_(at) {}
  void pass(std::size_t written) {
    if (written < at_ || opened_) return;
    reached_.release();
    open_.acquire();
    opened_ = true;
  }
  void wait_until_reached() { reached_.acquire(); }
  void open() { open_.release(); }

 private:
  std::size_t at_;
  bool opened_ = false;  // decode thread only
  std::counting_semaphore<8> reached_{0};
  std::counting_semaphore<8> open_{0};
};

// A Workspace and its owner's thread, which is the test's.
class WorkspaceTest : public testing::Test {
 protected:
  struct End {
    EditState state;
    std::string error;
    std::string text;
    friend bool operator==(const End&, const End&) = default;
  };

  void TearDown() override {
    gate_.open();  // a test that failed may have left the model waiting
    workspace_.reset();
  }

  void start(EngineHost::Factory make_engine) {
    WorkspaceObserver observer;
    observer.on_hunk = [this](EditId id, const LiveHunk& live) {
      EXPECT_EQ(std::this_thread::get_id(), owner_);
      EXPECT_FALSE(ends_.contains(id)) << "a hunk after the end";
      hunks_[id].push_back(live);
    };
    observer.on_hunk_changed = [this](EditId id, const LiveHunk& live) {
      changed_[id].push_back(live);
    };
    observer.on_progress = [this](EditId id, const EditProgress&) {
      EXPECT_FALSE(ends_.contains(id));
    };
    observer.on_end = [this](EditId id, EditState state, const EditResult* result,
                             const std::string& error) {
      EXPECT_FALSE(ends_.contains(id)) << "ended twice";
      ends_[id] = {state, error, result ? result->text : ""};
    };
    observer.on_engine = [this](const EngineStatus& status) {
      statuses_.push_back(status.state);
      loaded_.push_back(status.loaded);
    };
    const Post to_owner = [this](std::function<void()> function) { post(std::move(function)); };
    workspace_ = std::make_unique<Workspace>(
        std::make_shared<EngineHost>(std::move(make_engine), to_owner), to_owner, observer);
  }
  void start_with(ScriptedAnswer answer, ScriptedGate gate = {}) {
    start([answer, gate](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
      return scripted_engine(answer, gate);
    });
  }
  // Every edit of kText becomes kOneTwoThree, one token a pass; the model waits in the last line.
  void start_gated() {
    start_with([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; },
               [this](const ScriptedPrompt&, std::size_t written) { gate_.pass(written); });
  }

  void open(const std::string& text = kText, const char* uri = kUri) {
    const Result<void> opened = workspace_->open(uri, 1, text, "python");
    ASSERT_TRUE(opened) << opened.error().message();
  }
  EditId edit(std::int64_t version = 1, const char* uri = kUri,
              const std::string& instruction = "more") {
    EditRequest request;
    request.instruction = instruction;
    request.decoder = *parse_decoder_name("ar");
    const Result<EditId> id = workspace_->edit(uri, version, std::move(request));
    EXPECT_TRUE(id) << id.error().message();
    return id ? *id : 0;
  }
  void change(std::int64_t version, const TextEdit& edit) {
    const Result<void> changed = workspace_->change(kUri, version, {edit});
    ASSERT_TRUE(changed) << changed.error().message();
  }

  // What the decode thread posted so far runs here.
  void run_posted() {
    for (;;) {
      std::function<void()> function;
      {
        const std::lock_guard lock(mutex_);
        if (posted_.empty()) return;
        function = std::move(posted_.front());
        posted_.pop_front();
      }
      function();
    }
  }
  void finish() {
    workspace_->wait_until_idle();
    run_posted();
  }

  std::string accept_all(EditId id) {
    std::int64_t version = 0;
    const auto edits = workspace_->resolve(id, {}, &version);
    if (!edits) return edits.error().message();
    EXPECT_EQ(version, workspace_->document(kUri)->version());
    return apply_edits(workspace_->document(kUri)->text(), *edits);
  }

  std::unique_ptr<Workspace> workspace_;
  Gate gate_{kOneTwoThree.find("value + 30")};
  std::map<EditId, std::vector<LiveHunk>> hunks_;
  std::map<EditId, std::vector<LiveHunk>> changed_;
  std::map<EditId, End> ends_;
  std::vector<EngineStatus::State> statuses_;
  std::vector<double> loaded_;  // beside them

 private:
  void post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
};

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
  EXPECT_EQ(ends_[id], (End{EditState::kDone, "", kOneTwoThree}));
  EXPECT_THAT(statuses_, ElementsAre(EngineStatus::State::kLoading, EngineStatus::State::kReady));
  EXPECT_EQ(workspace_->engine_status().target, "scripted");
  EXPECT_EQ(accept_all(id), kOneTwoThree);
  EXPECT_EQ(workspace_->hunks(id), nullptr);
}

TEST_F(WorkspaceTest, HunksMoveWithTheBufferOrAreDropped) {
  start_gated();
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  run_posted();
  change(2, {{0, 0}, "# a comment\n"});  // both known hunks move
  ASSERT_EQ(changed_[id].size(), 2);
  EXPECT_EQ(changed_[id][0].version, 2);
  EXPECT_FALSE(changed_[id][0].dropped);
  const std::string text = workspace_->document(kUri)->text();
  const std::size_t second = text.find("value + 2");
  change(3, {{second, second + 5}, "number"});  // in the place of the second
  EXPECT_EQ(workspace_->hunks(id)->size(), 1);
  EXPECT_TRUE(changed_[id].back().dropped);
  EXPECT_THAT(changed_[id].back().reason, HasSubstr("was changed"));
  gate_.open();
  finish();
  // The third came after the changes and finds its place.
  ASSERT_EQ(hunks_[id].size(), 3);
  EXPECT_EQ(hunks_[id][2].version, 3);
  EXPECT_EQ(accept_all(id), "# a comment\n" + replaced(kOneTwoThree, "value + 20", "number + 2"));
}

TEST_F(WorkspaceTest, AHunkWhosePlaceChangedBeforeItCameIsDroppedAtOnce) {
  start_gated();
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  const std::size_t third = kText.find("value + 3");
  change(2, {{third, third + 5}, "number"});
  gate_.open();
  finish();
  ASSERT_EQ(hunks_[id].size(), 3);
  EXPECT_TRUE(hunks_[id][2].dropped);
  EXPECT_EQ(workspace_->hunks(id)->size(), 2);
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
  EXPECT_EQ(workspace_->hunks(id)->size(), 2);
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
  EXPECT_EQ(ends_[id].state, EditState::kCancelled);
  EXPECT_EQ(ends_[id].error, "");
  EXPECT_EQ(workspace_->hunks(id)->size(), 2);
  EXPECT_FALSE(workspace_->cancel(id));
  EXPECT_EQ(accept_all(id), replaced(kOneTwoThree, "value + 30", "value + 3"));
}

TEST_F(WorkspaceTest, ANewerEditOfTheDocumentTakesThePlaceOfTheRunningOne) {
  start_gated();
  open();
  const EditId first = edit();
  gate_.wait_until_reached();
  const EditId second = edit();
  const EditId third = edit();
  gate_.open();
  finish();
  for (const EditId replaced_edit : {first, second}) {
    EXPECT_EQ(ends_[replaced_edit].state, EditState::kCancelled);
    EXPECT_THAT(ends_[replaced_edit].error, HasSubstr("newer edit"));
  }
  EXPECT_EQ(ends_[third].state, EditState::kDone);
  EXPECT_EQ(hunks_.count(second), 0) << "it never began";
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
  EXPECT_EQ(ends_[first].state, EditState::kDone);
  EXPECT_EQ(ends_[second].state, EditState::kDone);
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
  open("another = 1\n");  // the same name, another document
  gate_.open();
  finish();
  EXPECT_EQ(ends_[id].state, EditState::kCancelled);
  EXPECT_THAT(ends_[id].error, HasSubstr("closed"));
  EXPECT_EQ(workspace_->hunks(id), nullptr);
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
    return scripted_engine(
        [](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; });
  });
  open();
  const EditId first = edit();
  finish();
  EXPECT_EQ(ends_[first].state, EditState::kFailed);
  EXPECT_EQ(ends_[first].error, "no such model: nonsense");
  EXPECT_EQ(workspace_->engine_status().error, "no such model: nonsense");
  const EditId second = edit();
  finish();
  EXPECT_THAT(ends_[second].error, HasSubstr("out of memory"));
  const EditId third = edit();
  finish();
  EXPECT_EQ(ends_[third].state, EditState::kDone);
}

TEST_F(WorkspaceTest, CancelWhileTheModelLoadsAsksItNothing) {
  std::atomic<int> n_answers = 0;
  start([&](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
    gate_.pass(kText.size());
    // The prompt does not even fit, which the model would find out if it got it.
    constexpr int kContextLength = 16;
    return scripted_engine(
        [&](const ScriptedPrompt& prompt) {
          ++n_answers;
          return kOneTwoThree + prompt.fence;
        },
        {}, kContextLength);
  });
  open();
  const EditId id = edit();
  gate_.wait_until_reached();
  run_posted();  // that the model is loading
  EXPECT_TRUE(workspace_->cancel(id));
  run_posted();
  EXPECT_EQ(ends_[id], (End{EditState::kCancelled, "", ""})) << "waits for the model";
  gate_.open();
  finish();
  EXPECT_EQ(n_answers, 0);
  EXPECT_EQ(statuses_.back(), EngineStatus::State::kReady);
}

TEST_F(WorkspaceTest, LoadingTellsHowFarItIs) {
  start([&](const LoadControl& control) -> Result<std::unique_ptr<Engine>> {
    for (const double fraction : {0.25, 0.5, 1.0}) control.progress(fraction);
    return scripted_engine(
        [](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; });
  });
  open();
  const EditId id = edit();
  finish();
  EXPECT_EQ(ends_[id].state, EditState::kDone);
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
  EXPECT_EQ(ends_[first].state, EditState::kFailed);
  EXPECT_THAT(ends_[first].error, HasSubstr("the device is gone"));
  const EditId second = edit();
  finish();
  EXPECT_EQ(ends_[second].state, EditState::kDone);
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

// The buffer changes at random while the model writes: whatever is accepted, every hunk replaces
// what it said it would.
TEST_F(WorkspaceTest, AnyTypingLeavesEveryHunkWhereItBelongs) {
  start_with([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; });
  open();
  std::mt19937 random(11);
  std::int64_t version = 1;
  for (int round = 0; round < 60; ++round) {
    change(++version, {{0, workspace_->document(kUri)->text().size()}, kText});
    const EditId id = edit(version);
    for (int key = 0; key < 12; ++key) {
      const std::string& text = workspace_->document(kUri)->text();
      const std::size_t at = random() % (text.size() + 1);
      const std::size_t end = std::min(text.size(), at + random() % 4);
      change(++version, {{at, random() % 2 ? at : end}, random() % 3 ? "x" : "\n"});
      run_posted();
    }
    finish();
    if (const std::vector<LiveHunk>* hunks = workspace_->hunks(id)) {
      for (const LiveHunk& live : *hunks) {
        const ByteRange range = live.hunk.edit.range;
        ASSERT_EQ(workspace_->document(kUri)->text().substr(range.begin, range.size()),
                  live.hunk.old_text);
        ASSERT_EQ(live.version, version);
      }
      accept_all(id);
    }
  }
}

}  // namespace
}  // namespace redraft
