// Whole questions, put to a scripted model.
#include "bench/quality/next_edit_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/edit_script.h"
#include "tests/workspace/next_edit/many_calls.h"

namespace redraft {
namespace {

using testing::HasSubstr;

std::string replaced(std::string text, const std::string& from, const std::string& to, int most) {
  for (std::size_t at = text.find(from); at != std::string::npos && most > 0; --most) {
    text.replace(at, from.size(), to);
    at = text.find(from, at + to.size());
  }
  return text;
}

// Twelve calls of old(); the person renames the first `n` of them.
BenchTask renames(int n) {
  BenchTask task;
  task.id = "renames";
  task.language = "python";
  task.file_name = "calls.py";
  task.file = EditText{many_calls(), replaced(many_calls(), "old(x)", "fresh(x)", n)};
  return task;
}

EditScript that_writes(const std::string& replace) {
  EditScript script;
  script.edits.push_back({"", "old(x)", replace});
  return script;
}

NextEditQuality asked(const EditScript& script, const BenchTask& task, std::string_view question) {
  const auto engine = make_scripted_engine(script);
  const NextEditQualityPlan plan{.decoder = *parse_decoder_name("redraft")};
  return *measure_next_edit(**engine, task, question, plan, {});
}

TEST(NextEditQualityOf, WhatThePersonDidNextIsExact) {
  const NextEditQuality found = asked(that_writes("fresh(x)"), renames(12), kAfterHunks[0]);
  EXPECT_EQ(found.verdict, Verdict::kExact);
  EXPECT_FALSE(found.reverses);
  EXPECT_GE(found.regions, 1);
  EXPECT_GT(found.passes, 0);
  EXPECT_THAT(found.proposed,
              HasSubstr("-    return 1 + old(x) + third\n+    return 1 + fresh(x) + third\n"));
}

// The second time it is a pattern.
TEST(NextEditQualityOf, WhatFollowsWithoutTheModelTakesNoPass) {
  const NextEditQuality found = asked({}, renames(12), kAfterHunks[1]);
  EXPECT_EQ(found.verdict, Verdict::kExact);
  EXPECT_EQ(found.regions, 0);
  EXPECT_EQ(found.passes, 0);
  EXPECT_THAT(found.proposed,
              HasSubstr("-    return 2 + old(x) + third\n+    return 2 + fresh(x) + third\n"));
}

TEST(NextEditQualityOf, WhatThePersonNeverDidIsWrong) {
  EXPECT_EQ(asked(that_writes("fresh(x)"), renames(2), kAfterCommit).verdict, Verdict::kWrong);
}

TEST(NextEditQualityOf, NothingIsNothing) {
  const NextEditQuality found = asked({}, renames(12), kAfterHunks[0]);
  EXPECT_EQ(found.verdict, Verdict::kNone);
  EXPECT_EQ(found.proposed, "");
  EXPECT_EQ(found.why_none, "the model found no follow-up change");
}

TEST(NextEditQualityOf, AFollowUpOfTheCommitBeforeIsExact) {
  BenchTask task = renames(1);
  task.file = EditText{replaced(many_calls(), "old(x)", "fresh(x)", 1),
                       replaced(many_calls(), "old(x)", "fresh(x)", 12)};
  task.recent_edits = {
      "@@ -5 +5 @@\n-    return 0 + old(x) + third\n+    return 0 + fresh(x) + third\n"};
  EXPECT_EQ(asked(that_writes("fresh(x)"), task, kAfterCommitBefore).verdict, Verdict::kExact);
}

TEST(NextEditQualityOf, ChangesAreSentAsByAnEditor) {
  EXPECT_EQ(edit_between("one two", "one 2 two"), (TextEdit{{4, 4}, "2 "}));
  EXPECT_EQ(edit_between("aaa", "aa"), (TextEdit{{2, 3}, ""}));
  EXPECT_EQ(edit_between("", "a"), (TextEdit{{0, 0}, "a"}));
  // These begin, or end, with the same byte.
  EXPECT_EQ(edit_between("a\u00e9b", "a\u00e8b"), (TextEdit{{1, 3}, "\u00e8"}));
  EXPECT_EQ(edit_between("a\u00e9b", "a\u00a9b"), (TextEdit{{1, 3}, "\u00a9"}));
}

TEST(NextEditQualityOf, AQuestionThatTheCommitHasNotIsLeftOut) {
  const auto engine = make_scripted_engine({});
  const NextEditQualityPlan plan{.decoder = *parse_decoder_name("redraft")};
  const auto found = measure_next_edit(**engine, renames(1), kAfterHunks[0], plan, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message(), "has no question after 1 hunk");
}

}  // namespace
}  // namespace redraft
