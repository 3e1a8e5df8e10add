// Every step that can be taken with an edit, in every state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/enter_state.h"
#include "workspace/edit/live_edits.h"

namespace redraft {
namespace {

using State = LiveEdit::State;
using enum LiveEdit::State;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr State kStates[] = {kRunning, kStopping, kReplaced, kOrphaned, kEnded, kOver};
constexpr const char* kUri = "file:///a.py";

enum class Step { kStop, kReplace, kForget, kEnd, kTake, kType, kSettle };
constexpr Step kSteps[] = {Step::kStop, Step::kReplace, Step::kForget, Step::kEnd,
                           Step::kTake, Step::kType,    Step::kSettle};

// One edit of bytes 20 to 80, with one hunk so far.
class OneEdit {
 public:
  explicit OneEdit(State state) {
    edits_.set_region(id_, {20, 80});
    edits_.receive(id_, {0, {{30, 40}, "new"}, "0123456789"}, 1);
    switch (state) {
      case kRunning:
        break;
      case kStopping:
        take(Step::kStop);
        break;
      case kReplaced:
        take(Step::kReplace);
        break;
      case kOrphaned:
        take(Step::kForget);
        break;
      case kEnded:
        take(Step::kEnd);
        break;
      case kOver:  // only while its end is reported
        take(Step::kReplace);
        take(Step::kEnd);
        break;
    }
    EXPECT_EQ(this->state(), state);
  }

  LiveEdits::Consequences take(Step step) {
    switch (step) {
      case Step::kStop:
        edits_.stop(id_);
        return {};
      case Step::kReplace:
        return edits_.set_region(edits_.add(kUri), {0, 100});
      case Step::kForget:
        return edits_.forget(kUri, "the document was closed");
      case Step::kEnd:
        edits_.end(id_);
        return {};
      case Step::kTake:
        return edits_.take(id_, std::nullopt).then;
      case Step::kType:
        return edits_.change(kUri, 2, {{{35, 36}, 5}});
      case Step::kSettle:
        return edits_.settle();
    }
    return {};
  }
  // Null: it is forgotten.
  const LiveEdit* find() const { return edits_.find(id_); }
  State state() const { return find() == nullptr ? kOver : find()->state; }
  EditId id() const { return id_; }
  LiveEdits& edits() { return edits_; }

 private:
  LiveEdits edits_;
  EditId id_ = edits_.add(kUri);
};

// The state after each step, in the order of kSteps.
const std::map<State, std::vector<State>> kLeadsTo = {
    {kRunning, {kStopping, kReplaced, kOrphaned, kEnded, kRunning, kRunning, kRunning}},
    {kStopping, {kStopping, kReplaced, kOrphaned, kEnded, kStopping, kStopping, kStopping}},
    {kReplaced, {kReplaced, kReplaced, kOrphaned, kOver, kReplaced, kReplaced, kReplaced}},
    {kOrphaned, {kOrphaned, kOrphaned, kOrphaned, kOver, kOrphaned, kOrphaned, kOrphaned}},
    {kEnded, {kEnded, kOver, kOver, kEnded, kOver, kOver, kEnded}},
    {kOver, {kOver, kOver, kOver, kOver, kOver, kOver, kOver}}};

TEST(LiveEditStates, EveryStepInEveryState) {
  for (const State before : kStates) {
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
      SCOPED_TRACE(testing::Message() << "step " << i << " in state " << static_cast<int>(before));
      OneEdit edit(before);
      edit.take(kSteps[i]);
      EXPECT_EQ(edit.state(), kLeadsTo.at(before)[i]);
    }
  }
}

// The transitions listed with the states: a step above takes each of them, and there are no others.
TEST(LiveEditStates, NothingElseMayFollow) {
  std::set<std::pair<State, State>> arrows;
  for (const auto& [before, states] : kLeadsTo) {
    for (const State after : states) {
      if (after != before) arrows.insert({before, after});
    }
  }
  for (const State before : kStates) {
    for (const State after : kStates) {
      State state = before;
      if (arrows.contains({before, after})) {
        EXPECT_NO_THROW(enter_state(state, after));
        EXPECT_EQ(state, after);
      } else {
        EXPECT_THROW(enter_state(state, after), std::logic_error);
        EXPECT_EQ(state, before);
      }
    }
  }
}

TEST(LiveEditStates, OnlyWhatRunsIsStoppedAndComesToAnEnd) {
  for (const State state : kStates) {
    SCOPED_TRACE(static_cast<int>(state));
    const bool runs = state != kEnded && state != kOver;
    EXPECT_EQ(OneEdit(state).edits().stop(1), runs);
    EXPECT_EQ(OneEdit(state).edits().end(1), runs);
    OneEdit ended(state);
    ended.edits().end(1);
    EXPECT_FALSE(ended.edits().end(1)) << "there is one end";
  }
  LiveEdits none;
  EXPECT_FALSE(none.stop(1));
  EXPECT_FALSE(none.end(1));
}

TEST(LiveEditStates, WhatRunsIsToStopAndIsForgottenWithItsEnd) {
  for (const State state : {kRunning, kStopping, kReplaced}) {
    SCOPED_TRACE(static_cast<int>(state));
    OneEdit edit(state);
    const LiveEdits::Consequences then = edit.take(Step::kForget);
    EXPECT_THAT(then.to_stop, Contains(edit.id()));
    EXPECT_THAT(then.over, IsEmpty()) << "its end is still to come";
    if (state != kReplaced) {
      ASSERT_THAT(then.news, SizeIs(1));
      EXPECT_EQ(then.news[0].hunks[0].reason, "the document was closed");
    }
    edit.take(Step::kEnd);
    EXPECT_NE(edit.find(), nullptr) << "whoever hears of the end may ask about it";
    EXPECT_THAT(edit.take(Step::kSettle).over, Contains(edit.id()));
    EXPECT_EQ(edit.find(), nullptr);
  }
}

TEST(LiveEditStates, WhatWaitsIsForgottenWithItsLastHunk) {
  for (const Step step : {Step::kReplace, Step::kForget, Step::kTake, Step::kType}) {
    OneEdit edit(kEnded);
    const LiveEdits::Consequences then = edit.take(step);
    EXPECT_THAT(then.over, ElementsAre(edit.id()));
    EXPECT_THAT(then.news, SizeIs(step == Step::kTake ? 0 : 1)) << "who took it knows";
    EXPECT_EQ(edit.find(), nullptr);
  }
}

TEST(LiveEditStates, AHunkCountsInWhatIsToStopAndInNothingThatIsReplaced) {
  const Hunk late = {1, {{50, 60}, "late"}, "0123456789"};
  OneEdit stopping(kStopping);
  EXPECT_FALSE(stopping.edits().receive(1, late, 1).hunk.dropped);
  EXPECT_THAT(stopping.find()->hunks, SizeIs(2));
  OneEdit replaced(kReplaced);
  const LiveEdits::Received received = replaced.edits().receive(1, late, 1);
  EXPECT_TRUE(received.hunk.dropped);
  EXPECT_THAT(received.hunk.reason, testing::HasSubstr("newer edit"));
  EXPECT_THAT(replaced.find()->hunks, IsEmpty());
  EXPECT_EQ(replaced.find()->n_dropped, 2);
}

TEST(LiveEditStates, TheFirstReasonThatIsNotTheUsersWishCounts) {
  const auto why = [](State state, Step step) {
    OneEdit edit(state);
    edit.take(step);
    return edit.find()->why_stopped;
  };
  EXPECT_EQ(why(kRunning, Step::kStop), "");
  EXPECT_THAT(why(kRunning, Step::kReplace), testing::HasSubstr("newer edit"));
  EXPECT_EQ(why(kStopping, Step::kReplace), "") << "the user wanted its end before";
  EXPECT_EQ(why(kRunning, Step::kForget), "the document was closed");
  EXPECT_EQ(why(kStopping, Step::kForget), "the document was closed");
  EXPECT_THAT(why(kReplaced, Step::kForget), testing::HasSubstr("newer edit"));
}

TEST(LiveEditStates, ADocumentOfTheSameNameIsNotItsDocument) {
  OneEdit orphan(kOrphaned);
  EXPECT_THAT(orphan.edits().forget(kUri, "again").to_stop, IsEmpty());
  const EditId other = orphan.edits().add(kUri);
  orphan.edits().set_region(other, {0, 100});
  EXPECT_EQ(orphan.state(), kOrphaned) << "it is not replaced by an edit of another text";
  for (int i = 1; i < LiveEdits::kMaxDocumentPart; ++i) {
    EXPECT_TRUE(orphan.edits().check_room(kUri)) << "nor does it take that one's room";
    orphan.edits().add(kUri);
  }
  EXPECT_FALSE(orphan.edits().check_room(kUri));
}

}  // namespace
}  // namespace redraft
