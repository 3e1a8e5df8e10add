// Drafts come from other texts in the editor, none of which is in the prompt.
#include <gtest/gtest.h>

#include <mutex>

#include "tests/kit/scripted_engine.h"
#include "workspace/workspace.h"

namespace redraft {
namespace {

constexpr const char* kUri = "file:///edited.py";
constexpr const char* kOther = "file:///other.py";

class DraftTexts : public testing::Test {
 protected:
  void SetUp() override {
    for (long i = 1; i < 70; ++i) written_ += std::to_string(i * i * i * 7919 % 99991) + "\n";
    WorkspaceObserver observer;
    observer.on_end = [this](EditId, EditOutcome, const EditResult* result, const std::string&) {
      ASSERT_NE(result, nullptr);
      EXPECT_EQ(result->text, expected_);
      passes_ = result->statistics.passes;
    };
    const Post post = [this](std::function<void()> function) {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(function));
    };
    auto host = std::make_shared<EngineHost>(
        [this](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
          return as_engine(scripted_engine(
              [this](const ScriptedPrompt& prompt) { return written_ + prompt.fence; }));
        },
        post);
    workspace_ = std::make_unique<Workspace>(std::move(host), post, observer);
  }
  void open(const char* uri, const std::string& text) {
    ASSERT_TRUE(workspace_->open(uri, 1, text, "python"));
  }
  // The passes of an edit that writes written_ into an empty file.
  int passes() { return passes_of("", std::nullopt, written_); }
  // Those of an edit that writes it in place of a part of `text`, which makes `expected` of it.
  int passes_of(const std::string& text, std::optional<ByteRange> range,
                const std::string& expected) {
    expected_ = expected;
    open(kUri, text);
    EditRequest request;
    request.instruction = "write it";
    request.range = range;
    request.scope = default_scope(range);
    request.decoder = *parse_decoder_name("redraft");
    EXPECT_TRUE(workspace_->edit(kUri, 1, std::move(request)));
    workspace_->wait_until_idle();
    const std::lock_guard lock(mutex_);
    for (const auto& function : posted_) function();
    posted_.clear();
    return passes_;
  }

  // Those of an edit of the first line of a long file, which ends with `rest`.
  int passes_before(const std::string& rest) {
    std::string file;
    for (int i = 0; i < 3000; ++i) file += "filler " + std::to_string(i * i) + "\n";
    file += rest;
    return passes_of("here\n" + file, ByteRange{0, 5}, written_ + file);
  }

  std::string written_;
  std::string expected_;  // the document after the edit
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  int passes_ = 0;
  std::unique_ptr<Workspace> workspace_;
};

constexpr int kFew = 180;  // of some 400 tokens

TEST_F(DraftTexts, NoneBeside) { EXPECT_GT(passes(), 2 * kFew); }

TEST_F(DraftTexts, AnotherOpenDocument) {
  open(kOther, written_);
  EXPECT_LT(passes(), kFew);
}

TEST_F(DraftTexts, RemovedTextIsAvailableToOthers) {
  open(kOther, "a\n" + written_ + "b\n");
  ASSERT_TRUE(workspace_->change(kOther, 2, {{{2, 2 + written_.size()}, ""}}));
  EXPECT_LT(passes(), kFew);
}

// Of a long file the prompt shows a part.
TEST_F(DraftTexts, TheRestOfALongFile) { EXPECT_LT(passes_before(written_), kFew); }

TEST_F(DraftTexts, NothingInTheRestOfALongFile) { EXPECT_GT(passes_before(""), 2 * kFew); }

TEST_F(DraftTexts, NotOneThatIsClosed) {
  open(kOther, written_);
  workspace_->close(kOther);
  EXPECT_GT(passes(), 2 * kFew);
}

}  // namespace
}  // namespace redraft
