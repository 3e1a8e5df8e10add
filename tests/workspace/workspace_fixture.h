#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>

#include "tests/kit/scripted_engine.h"
#include "workspace/workspace.h"

namespace redraft {

inline constexpr const char* kUri = "file:///a.py";
inline const std::string kText =
    "def first(value):\n    return value + 1\n\n\ndef second(value):\n    return value + 2\n\n\n"
    "def third(value):\n    return value + 3\n";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

inline const std::string kOneTwoThree =
    replaced(replaced(replaced(kText, "value + 1", "value + 10"), "value + 2", "value + 20"),
             "value + 3", "value + 30");

// A model that stops at places of its answer and waits until the test lets it continue.
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
    EditOutcome outcome;
    std::string error;
    std::string text;
    friend bool operator==(const End&, const End&) = default;
  };

  void TearDown() override {
    gate_.open();  // a failed test may have left the model waiting
    workspace_.reset();
  }

  void start(EngineHost::Factory make_engine) {
    WorkspaceObserver observer;
    observer.on_hunk = [this](EditId id, const LiveHunk& live) {
      EXPECT_EQ(std::this_thread::get_id(), owner_);
      EXPECT_FALSE(ends_.contains(id)) << "a hunk after the end";
      hunks_[id].push_back(live);
    };
    observer.on_hunks_changed = [this](EditId id, const std::vector<LiveHunk>& hunks) {
      EXPECT_FALSE(over_.contains(id)) << "it was forgotten";
      changed_[id].insert(changed_[id].end(), hunks.begin(), hunks.end());
    };
    observer.on_progress = [this](EditId id, const EditProgress&) {
      EXPECT_FALSE(ends_.contains(id));
    };
    observer.on_end = [this](EditId id, EditOutcome outcome, const EditResult* result,
                             const std::string& error) {
      EXPECT_FALSE(ends_.contains(id)) << "ended twice";
      ends_[id] = {outcome, error, result ? result->text : ""};
      if (result) results_[id] = *result;
    };
    observer.on_over = [this](EditId id) {
      EXPECT_TRUE(ends_.contains(id)) << "forgotten before its end";
      EXPECT_EQ(workspace_->live_edit(id), nullptr);
      EXPECT_TRUE(over_.insert(id).second) << "forgotten twice";
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
      return as_engine(scripted_engine(answer, gate));
    });
  }
  // Every edit of kText becomes kOneTwoThree, one token per pass; the model waits in the last line.
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

  // Runs what the decode thread has posted so far.
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

  // The hunks of an edit that wait for a decision; null once it is forgotten.
  const std::vector<LiveHunk>* hunks_of(EditId id) const {
    const LiveEdit* edit = workspace_->live_edit(id);
    return edit == nullptr ? nullptr : &edit->hunks;
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
  std::map<EditId, EditResult> results_;
  std::set<EditId> over_;
  std::vector<EngineStatus::State> statuses_;
  std::vector<double> loaded_;  // the loaded part with each

 private:
  void post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
};

}  // namespace redraft
