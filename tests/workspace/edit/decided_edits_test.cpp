// What a Workspace does with decisions, and with jobs that throw.
#include <gmock/gmock.h>

#include <atomic>
#include <stdexcept>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"
#include "tests/workspace/workspace_fixture.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

class DecidedEdits : public WorkspaceTest {
 protected:
  EditId request_edit(const std::string& instruction, int retry_index) {
    EditRequest request;
    request.instruction = instruction;
    request.decoder = *parse_decoder_name("ar");
    request.retry_index = retry_index;
    request.repairs = false;
    const Result<EditId> id = workspace_->edit(kUri, 1, std::move(request));
    EXPECT_TRUE(id) << id.error().message();
    return id ? *id : 0;
  }
};

TEST_F(DecidedEdits, TheModelAnswersTheRetryOfARename) {
  start_with([](const ScriptedPrompt& prompt) { return kOneTwoThree + prompt.fence; });
  open();
  const EditId first = request_edit("rename value to amount", 0);
  finish();
  EXPECT_EQ(results_[first].kind, EditKind::kRename);
  EXPECT_EQ(results_[first].statistics.passes, 0);
  const EditId retry = request_edit("rename value to amount", 1);
  finish();
  EXPECT_EQ(results_[retry].kind, EditKind::kRetry) << ends_[retry].error;
  EXPECT_GT(results_[retry].statistics.passes, 0);
}

// An engine whose costs cannot be measured while `fails` is set.
std::unique_ptr<Engine> engine_without_costs(const std::atomic<bool>& fails) {
  const std::shared_ptr<const Tokenizer> tokenizer = byte_tokenizer();
  LocalEngine::Model target;
  target.name = "scripted";
  target.model = std::make_unique<ScriptedModel>(ScriptedModel::random(
      1, {.vocabulary = tokenizer->vocabulary_size(), .context_length = 1 << 16}));
  target.tokenizer = tokenizer;
  target.find_cost = [&fails](LanguageModel&) {
    if (fails) throw std::runtime_error("the device is gone");
    return CostCurve({{1, 0.010}, {11, 0.020}});
  };
  return *LocalEngine::make(std::move(target), {}, {});
}

TEST_F(DecidedEdits, AJobThatThrowsIsAnsweredOnceAndTheNextOneRuns) {
  std::atomic<bool> fails = true;
  start([&](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
    return engine_without_costs(fails);
  });
  open();
  const EditId failed = request_edit("change it", 0);
  finish();
  EXPECT_EQ(ends_[failed].outcome, EditOutcome::kFailed);
  EXPECT_EQ(ends_[failed].error, "the edit failed: the device is gone");

  std::vector<std::string> answers;
  const auto on_answer = [&](const Document&, const Result<RegionChain>& chain) {
    answers.push_back(chain ? std::to_string(chain->regions.size()) : chain.error().message());
  };
  ASSERT_TRUE(workspace_->find_regions(kUri, 1, {4, 4}, on_answer));
  finish();
  EXPECT_THAT(answers, testing::ElementsAre("finding the regions failed: the device is gone"));
  fails = false;
  ASSERT_TRUE(workspace_->find_regions(kUri, 1, {4, 4}, on_answer));
  finish();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_GT(std::stoi(answers[1]), 1);
}

TEST_F(DecidedEdits, ReadingAheadThatThrowsEndsOnce) {
  const std::atomic<bool> fails = true;
  start([&](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
    return engine_without_costs(fails);
  });
  open();
  std::vector<std::string> ends;
  EditRequest request;
  request.decoder = *parse_decoder_name("ar");
  request.scope = EditScope::kSymbol;
  request.range = ByteRange{4, 4};
  ASSERT_TRUE(
      workspace_->announce(kUri, 1, std::move(request),
                           {.on_end = [&](const std::string& why) { ends.push_back(why); }}));
  finish();
  EXPECT_THAT(ends, testing::ElementsAre("reading ahead failed: the device is gone"));
}

TEST(ThrowingJobs, EndAloneAndAreToldOnce) {
  DecodeQueue queue;
  std::vector<std::string> told;
  bool next_ran = false;
  queue.add([](const DecodeQueue::Control&) { throw std::runtime_error("no memory"); },
            Urgency::kEdit, {}, [&](const Error& error) { told.push_back(error.message()); });
  queue.add([](const DecodeQueue::Control&) { throw std::runtime_error("nobody is told"); },
            Urgency::kEdit);
  queue.add([&](const DecodeQueue::Control&) { next_ran = true; }, Urgency::kEdit);
  queue.wait_until_idle();
  EXPECT_THAT(told, testing::ElementsAre("no memory"));
  EXPECT_TRUE(next_ran);
}

// The outer job continues after a job that it let in has thrown.
TEST(ThrowingJobs, DoNotEndTheJobThatGaveWay) {
  DecodeQueue queue;
  std::string said;
  queue.add(
      [&](const DecodeQueue::Control& control) {
        queue.add([](const DecodeQueue::Control&) { throw std::runtime_error("no"); },
                  Urgency::kCompletion, {}, [&](const Error& error) { said += error.message(); });
        control.give_way();
        said += ", then the rest";
      },
      Urgency::kEdit);
  queue.wait_until_idle();
  EXPECT_EQ(said, "no, then the rest");
}

}  // namespace
}  // namespace redraft
