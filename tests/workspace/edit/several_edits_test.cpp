// Several edits of a Workspace at the same time, and typing meanwhile.
#include <gmock/gmock.h>

#include <random>

#include "tests/workspace/workspace_fixture.h"

namespace redraft {
namespace {

using testing::HasSubstr;

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
  change(3, {{second, second + 5}, "number"});  // where the second hunk is
  EXPECT_EQ(hunks_of(id)->size(), 1);
  EXPECT_TRUE(changed_[id].back().dropped);
  EXPECT_THAT(changed_[id].back().reason, HasSubstr("was changed"));
  gate_.open();
  finish();
  // The third came after the changes and is placed correctly.
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
  EXPECT_EQ(hunks_of(id)->size(), 2);
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
    EXPECT_EQ(ends_[replaced_edit].outcome, EditOutcome::kCancelled);
    EXPECT_THAT(ends_[replaced_edit].error, HasSubstr("newer edit"));
  }
  EXPECT_EQ(ends_[third].outcome, EditOutcome::kDone);
  EXPECT_EQ(hunks_.count(second), 0) << "it never began";
}

TEST_F(WorkspaceTest, AnEndThatWasUnderWayWhenTheEditWasReplacedIsACancelledOne) {
  start_gated();
  gate_.open();
  open();
  const EditId first = edit();
  workspace_->wait_until_idle();  // all of it is written, but not reported yet
  const EditId second = edit();
  finish();
  EXPECT_EQ(ends_[first].outcome, EditOutcome::kCancelled);
  EXPECT_THAT(ends_[first].error, HasSubstr("newer edit"));
  for (const LiveHunk& live : hunks_[first]) EXPECT_TRUE(live.dropped);
  EXPECT_EQ(hunks_of(first), nullptr);
  EXPECT_EQ(ends_[second].outcome, EditOutcome::kDone);
  EXPECT_EQ(accept_all(second), kOneTwoThree);
}

TEST_F(WorkspaceTest, HunksOfADocumentThatGoesAreDroppedAndTheirEditIsForgotten) {
  start_gated();
  gate_.open();
  const auto expect_gone = [&](EditId id, const char* why) {
    ASSERT_EQ(changed_[id].size(), 3U);
    for (const LiveHunk& live : changed_[id]) {
      EXPECT_TRUE(live.dropped);
      EXPECT_EQ(live.reason, why);
    }
    EXPECT_TRUE(over_.contains(id));
    EXPECT_EQ(workspace_->document_of(id), nullptr);
  };
  open();
  const EditId closed = edit();
  finish();
  EXPECT_FALSE(over_.contains(closed)) << "it waits for a decision";
  EXPECT_NE(workspace_->document_of(closed), nullptr);
  workspace_->close(kUri, "it was enough");
  expect_gone(closed, "it was enough");

  open();
  const EditId renamed = edit();
  finish();
  workspace_->end_edits_within("file:///b", "another folder");
  EXPECT_FALSE(over_.contains(renamed));
  workspace_->end_edits_within("file:///", "its folder was renamed");
  expect_gone(renamed, "its folder was renamed");
  EXPECT_NE(workspace_->document(kUri), nullptr) << "the editor has it open yet";

  const EditId opened_anew = edit();
  finish();
  open();
  expect_gone(opened_anew, "the document was opened anew");
}

// What the instruction "2" makes of the definition around "value + 2".
std::string tenfold(const ScriptedPrompt& prompt) {
  const std::string value = "value + " + prompt.instruction;
  const std::size_t at = kText.find(value);
  const std::size_t begin = kText.rfind("def", at);
  const std::string symbol = kText.substr(begin, kText.find('\n', at) + 1 - begin);
  return replaced(symbol, value, value + "0") + prompt.fence;
}

class SymbolEditsTest : public WorkspaceTest {
 protected:
  void TearDown() override {
    late_.open();
    WorkspaceTest::TearDown();
  }
  // The model waits twice when it is given that instruction.
  void start_slow(const std::string& instruction) {
    start_with(tenfold, [this, instruction](const ScriptedPrompt& prompt, std::size_t written) {
      if (prompt.instruction != instruction) return;
      gate_.pass(written + kOneTwoThree.size());
      late_.pass(written);
    });
    open();
  }
  EditId edit_symbol(const std::string& instruction, std::int64_t version = 1) {
    const std::size_t at = workspace_->document(kUri)->text().find("value + " + instruction);
    EditRequest request;
    request.instruction = instruction;
    request.range = ByteRange{at, at};
    request.scope = EditScope::kSymbol;
    request.decoder = *parse_decoder_name("ar");
    const Result<EditId> id = workspace_->edit(kUri, version, std::move(request));
    EXPECT_TRUE(id) << id.error().message();
    return id ? *id : 0;
  }
  // From the first place where the model waits to the second, by which time all requests made
  // meanwhile have been received.
  void go_on() {
    gate_.open();
    late_.wait_until_reached();
    run_posted();
  }

  Gate late_{20};
};

TEST_F(SymbolEditsTest, SeveralOfADocumentAreAlive) {
  start_slow("2");
  const EditId one = edit_symbol("1");
  finish();
  const EditId two = edit_symbol("2");
  gate_.wait_until_reached();
  change(2, {{0, 0}, "# a comment\n"});
  const EditId three = edit_symbol("3", 2);
  change(3, {{0, 0}, "# and one more\n"});
  go_on();
  late_.open();
  finish();
  for (const EditId id : {one, two, three}) EXPECT_EQ(ends_[id].outcome, EditOutcome::kDone);
  std::int64_t version = 3;
  for (const EditId id : {two, three, one}) {
    const std::string accepted = accept_all(id);
    change(++version, {{0, workspace_->document(kUri)->text().size()}, accepted});
  }
  EXPECT_EQ(workspace_->document(kUri)->text(), "# and one more\n# a comment\n" + kOneTwoThree);
}

TEST_F(SymbolEditsTest, TheSameAskedForAnewReplacesWhatRunsAndWhatWaits) {
  start_slow("2");
  const EditId running = edit_symbol("2");
  gate_.wait_until_reached();
  const EditId waiting = edit_symbol("3");
  const EditId other = edit_symbol("1");
  const EditId running_anew = edit_symbol("2"), waiting_anew = edit_symbol("3");
  go_on();
  late_.open();
  finish();
  for (const EditId id : {running, waiting}) {
    EXPECT_EQ(ends_[id].outcome, EditOutcome::kCancelled);
    EXPECT_THAT(ends_[id].error, HasSubstr("newer edit"));
    EXPECT_EQ(hunks_of(id), nullptr);
  }
  for (const EditId id : {other, running_anew, waiting_anew}) {
    EXPECT_EQ(ends_[id].outcome, EditOutcome::kDone);
    EXPECT_EQ(hunks_of(id)->size(), 1);
  }
}

TEST_F(WorkspaceTest, TooManyEditsOfADocumentAreRefused) {
  start_gated();
  open("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\n");
  EditRequest request;
  request.instruction = "more";
  request.scope = EditScope::kSelection;
  request.decoder = *parse_decoder_name("ar");
  for (std::size_t i = 0; i <= LiveEdits::kMaxDocumentPart; ++i) {
    request.range = ByteRange{i * 2, i * 2 + 1};
    const Result<EditId> id = workspace_->edit(kUri, 1, request);
    EXPECT_EQ(static_cast<bool>(id), i < LiveEdits::kMaxDocumentPart);
    EXPECT_TRUE(id || id.error().message().find("accept, reject or cancel") != std::string::npos);
  }
  gate_.open();
}

// The document changes at random while the model writes: every accepted hunk replaces the text that
// it claims to replace.
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
    if (const std::vector<LiveHunk>* hunks = hunks_of(id)) {
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
