#include "bench/quality/completion_quality.h"

#include <gtest/gtest.h>

#include "tests/kit/edit_script.h"

namespace redraft {
namespace {

BenchTask place(const std::string& reference) {
  BenchTask task;
  task.kind = TaskKind::kCompletion;
  task.id = "place";
  task.file_name = "a.py";
  task.prompt = "def f(x):\n    total = ";
  task.suffix = "\n    return total\n";
  task.reference = reference;
  return task;
}

// It writes "x + one", and is sure of all but what follows the blank.
Result<CompletionQuality> measured(const BenchTask& task, const std::vector<double>& gates) {
  EditScript script;
  script.fills = {.fills = {{"total = ", "x + one\n"}}, .doubts = {{"x + ", 0.5}}};
  const auto engine = make_scripted_engine(script);
  return measure_completion(**engine, task, {},
                            {.decoder = *parse_decoder_name("redraft"), .gates = gates}, {});
}

TEST(CompletionQualityOf, OneDecodeTellsEachGate) {
  const auto found = measured(place("x + one"), {0, 0.4, 0.9});
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->suggestions.size(), 3U);
  EXPECT_EQ(found->suggestions[0],
            (Suggestion{.min_probability = 0, .shown = 7, .right = 7, .whole = true}));
  EXPECT_EQ(found->suggestions[1],
            (Suggestion{.min_probability = 0.4, .shown = 7, .right = 7, .whole = true}));
  EXPECT_LT(found->suggestions[2].shown, 7);
  EXPECT_FALSE(found->suggestions[2].whole);
  EXPECT_EQ(found->written.substr(0, 7), "x + one");
  EXPECT_GT(found->new_tokens, 0);
}

TEST(CompletionQualityOf, WhatSomebodyElseWroteIsWrongFromThereOn) {
  const auto found = measured(place("x + two"), {0});
  EXPECT_EQ(found->suggestions[0].right, 4);
  EXPECT_EQ(found->suggestions[0].shown, 7);
}

TEST(CompletionQualityOf, APlaceWithoutAReferenceIsLeftOut) {
  BenchTask task = place("");
  task.reference.reset();
  EXPECT_EQ(measured(task, {0}).error().message(), "has no reference");
}

}  // namespace
}  // namespace redraft
