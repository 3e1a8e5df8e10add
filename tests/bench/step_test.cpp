#include "bench/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "indexing/store/text_store.h"
#include "tests/bench/bench_kit.h"
#include "tests/kit/fill_script.h"
#include "tests/kit/scripted_model.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Engine> engine() {
  LocalEngine::Model target;
  target.name = "scripted";
  target.tokenizer = fill_tokenizer();
  target.model =
      std::make_unique<ScriptedModel>(target.tokenizer->vocabulary_size(), 1 << 14,
                                      [](std::span<const TokenId>) { return TokenId{0}; });
  target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {11, 0.020}}); };
  return std::move(*LocalEngine::make(std::move(target), {}, {.context_limit = 1 << 14}));
}

std::string text_of(const Engine& engine, const std::vector<TokenId>& tokens) {
  return engine.tokenizer().decode(tokens);
}

std::string filler(const std::string& word) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += word + " = " + std::to_string(i * i) + "\n";
  return text;
}

BenchTask task() {
  BenchTask task;
  task.kind = TaskKind::kCompletion;
  task.id = "t";
  task.file_name = "a.py";
  task.prompt = "published = 1\n";
  task.suffix = "published = 2\n";
  task.reference = "    x = 1\n    return x\n";
  task.hidden = HiddenLines{"repo.jsonl", "a.py", 1, 2};
  return task;
}

RepositoryView view() {
  TextStore store;
  store.put({{"b.py", {}, fill_tokenizer()->encode("other = 1\n")}});
  return {.before = filler("far_above") + filler("above") + "def f():\n",
          .after = "\ndef g():\n    pass\n" + filler("below"),
          .all = nullptr,
          .other_files = store.snapshot()};
}

constexpr int kTokens = 1000;  // of one byte each, by three bytes a token

TEST(ServerCompletionStep, ShowsTheServersWindowAndDraftsFromWhatItDraftsFrom) {
  const auto model = engine();
  const RepositoryView repository = view();
  const auto step = make_step(*model, task(), {.view = repository},
                              {.as_server = true, .context_tokens = kTokens});
  ASSERT_TRUE(step) << step.error().message();
  const std::string prompt = text_of(*model, step->request.prompt);
  EXPECT_THAT(prompt, HasSubstr("above = 9801\ndef f():\n    "));
  EXPECT_THAT(prompt, Not(HasSubstr("far_above = 0\n"))) << "outside of the window";
  EXPECT_THAT(prompt, Not(HasSubstr("published"))) << "the whole file is known";
  EXPECT_EQ(step->request.repository, repository.other_files) << "without the file itself";
  EXPECT_EQ(step->request.max_new_tokens, 128);
}

TEST(ServerCompletionStep, WritesABlockOnAnIndentedLineOfItsOwn) {
  const auto model = engine();
  StepOptions options{.as_server = true, .context_tokens = kTokens, .replay = true};
  auto wanted = task();
  wanted.reference = "    x = 1\n    return x\n\nprint(f())\n";
  const auto step = make_step(*model, wanted, {.view = view()}, options);
  ASSERT_TRUE(step) << step.error().message();
  EXPECT_EQ(text_of(*model, step->reference), "x = 1\n    return x");
  EXPECT_EQ(step->request.max_new_tokens, static_cast<int>(step->reference.size()) + 1);
}

TEST(ServerCompletionStep, TakesTheTextWithinALineAsItIs) {
  const auto model = engine();
  BenchTask within = task();
  within.hidden.reset();
  within.prompt = "area = ";
  within.suffix = "\nprint(area)\n";
  within.reference = "width * height\nvolume = 0";
  const auto step = make_step(*model, within, {}, {.as_server = true, .replay = true});
  ASSERT_TRUE(step) << step.error().message();
  EXPECT_EQ(text_of(*model, step->reference), "width * height");
  ASSERT_TRUE(step->server_end);
  EXPECT_TRUE(step->server_end->shape.single_line);
  EXPECT_EQ(step->server_end->after, within.suffix);
}

TEST(ServerCompletionStep, LeavesOutAReferenceOfWhichItWritesNothing) {
  const auto model = engine();
  BenchTask blank = task();
  blank.reference = "\n";
  const auto step = make_step(*model, blank, {.view = view()}, {.as_server = true, .replay = true});
  ASSERT_FALSE(step);
  EXPECT_THAT(step.error().message(), HasSubstr("nothing of its reference"));
}

TEST(CompletionStep, ShowsTheTasksOwnTextUnlessItIsTheServers) {
  const auto model = engine();
  const auto step = make_step(*model, task(), {.view = view()}, {});
  ASSERT_TRUE(step) << step.error().message();
  const std::string prompt = text_of(*model, step->request.prompt);
  EXPECT_THAT(prompt, HasSubstr("published = 1\n"));
  EXPECT_THAT(prompt, Not(HasSubstr("above")));
  EXPECT_FALSE(step->server_end);
}

TEST(EditStep, IsTheServersEditOfTheWholeFile) {
  const ReplayEngine replay = replay_engine();
  const BenchTask task = edit_task("double it", "x = 1\n", "x = 2\n");
  const auto step = make_step(*replay.engine, task, {}, {});
  ASSERT_TRUE(step) << step.error().message();
  EditRequest request;
  request.document = *Document::make(task.file_name, 0, task.file->before);
  request.instruction = task.instruction;
  const auto region = EditRegion::make(request.document, EditScope::kFile, {});
  const auto plan = plan_region(*replay.engine, request, request.instruction, *region);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(step->request.prompt, plan->prompt.tokens);
  EXPECT_EQ(step->request.original, plan->prompt.original);
  EXPECT_EQ(step->request.stop_tokens, plan->prompt.stop_tokens);
  EXPECT_EQ(step->request.rest_of_file, nullptr) << "the prompt shows all";
}

TEST(EditStep, PutsTheInstructionFirstIfThatIsAskedFor) {
  const ReplayEngine replay = replay_engine();
  const BenchTask task = edit_task("double it", "x = 1\n", "x = 2\n");
  const auto place_of_instruction = [&](PromptOrder order) {
    const auto step = make_step(*replay.engine, task, {}, {.order = order});
    const std::string prompt = text_of(*replay.engine, step->request.prompt);
    return std::pair(prompt.find(task.instruction), prompt.find("x = 1\n"));
  };
  const auto [after, file] = place_of_instruction(PromptOrder::kBufferFirst);
  EXPECT_GT(after, file);
  const auto [before, moved_file] = place_of_instruction(PromptOrder::kInstructionFirst);
  EXPECT_LT(before, moved_file);
}

}  // namespace
}  // namespace redraft
