// The questions and verdicts of next_edit_cases.jsonl were written by the Python program that
// measured next edits before (difflib's hunks): what is measured now is the same.
#include "bench/quality/next_edit_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/quality/line_hunks.h"

namespace redraft {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

BenchTask commit(const std::string& before, const std::string& after) {
  BenchTask task;
  task.id = "commit";
  task.is_commit = true;
  task.file = EditText{before, after};
  return task;
}

std::vector<std::string> names_of(const std::vector<NextEditQuestion>& questions) {
  std::vector<std::string> names;
  for (const NextEditQuestion& each : questions) names.emplace_back(each.name);
  return names;
}

void check_case(const Json& json) {
  BenchTask task = commit(json.at("before"), json.at("after"));
  for (const Json& edit : json.at("recent_edits")) task.recent_edits.push_back(edit.at("diff"));
  const std::vector<NextEditQuestion> questions = next_edit_questions(task);
  ASSERT_EQ(questions.size(), json.at("questions").size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Json& expected = json.at("questions")[i];
    EXPECT_EQ(questions[i].name, expected.at("name").get<std::string>());
    std::vector<std::string> steps;
    for (const auto& step : questions[i].steps) steps.push_back(join_lines(step));
    EXPECT_EQ(steps, expected.at("steps").get<std::vector<std::string>>());
    for (const Json& proposal : expected.at("proposals")) {
      const ProposalVerdict found =
          judge_proposal(questions[i], split_lines(proposal.at("text").get<std::string>()));
      EXPECT_EQ(kVerdicts[static_cast<std::size_t>(found.verdict)],
                proposal.at("verdict").get<std::string>())
          << proposal;
      EXPECT_EQ(found.reverses, proposal.at("reverses").get<bool>()) << proposal;
    }
  }
}

TEST(NextEditQuestions, AreAskedAndJudgedAsBefore) {
  std::ifstream file(REDRAFT_SOURCE "/tests/bench/quality/next_edit_cases.jsonl");
  int n = 0;
  for (std::string line; std::getline(file, line); ++n) {
    SCOPED_TRACE("case " + std::to_string(n + 1));
    check_case(Json::parse(line));
  }
  EXPECT_GT(n, 40);
}

TEST(NextEditQuestions, AreThreeWithinACommitAtMost) {
  EXPECT_THAT(names_of(next_edit_questions(
                  commit("a\nb\nc\nd\ne\nf\ng\nh\ni\n", "A\nb\nC\nd\nE\nf\nG\nh\nI\n"))),
              ElementsAre("after 1 hunk", "after 2 hunks", "after 3 hunks", "after the commit"));
  EXPECT_THAT(names_of(next_edit_questions(commit("a\nb\nc\n", "A\nb\nC\n"))),
              ElementsAre("after 1 hunk", "after the commit"));
  EXPECT_THAT(names_of(next_edit_questions(commit("a\n", "b\n"))), ElementsAre("after the commit"));
  EXPECT_THAT(next_edit_questions(commit("a\n", "a\n")), IsEmpty());
  EXPECT_THAT(next_edit_questions(commit("", "a\n")), IsEmpty());
}

TEST(NextEditQuestions, BeginWithTheFileBeforeItsLastCommit) {
  BenchTask task = commit("one\ntwo\nthree\n", "one\ntwo\nTHREE\n");
  task.recent_edits = {"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@ context\n one\n-2\n+two\n three\n"};
  const auto questions = next_edit_questions(task);
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(questions[1].name, kAfterCommitBefore);
  EXPECT_THAT(questions[1].steps.front(), ElementsAre("one", "2", "three", ""));
  task.recent_edits = {"@@ -1 +1 @@\n-2\n+elsewhere\n"};
  EXPECT_EQ(next_edit_questions(task).size(), 1U) << "it does not fit";
  task.recent_edits = {"@@ -9,0 +9 @@\n+beyond the end\n"};
  EXPECT_EQ(next_edit_questions(task).size(), 1U);
}

NextEditQuestion renamed_once() {
  return {.name = kAfterHunks[0],
          .steps = {{"def old():", "a", "old()", "b", "old()"},
                    {"def new():", "a", "old()", "b", "old()"}},
          .goal = {"def new():", "a", "new()", "b", "new()"}};
}

Verdict verdict_on(const std::vector<std::string>& proposed) {
  return judge_proposal(renamed_once(), proposed).verdict;
}

TEST(Verdicts, AreByHunksThenByLines) {
  EXPECT_EQ(verdict_on({"def new():", "a", "new()", "b", "old()"}), Verdict::kExact);
  EXPECT_EQ(verdict_on({"def new():", "a", "new()", "b", "new()"}), Verdict::kExact);
  EXPECT_EQ(verdict_on({"def new():", "a", "new()", "b", "other()"}), Verdict::kLines);
  EXPECT_EQ(verdict_on({"def new():", "a", "old()", "B", "old()"}), Verdict::kWrong);
}

TEST(Verdicts, SayWhenALineComesBackThatJustWent) {
  const NextEditQuestion question = renamed_once();
  EXPECT_TRUE(judge_proposal(question, question.steps.front()).reverses);
  EXPECT_FALSE(judge_proposal(question, question.goal).reverses);
}

TEST(LineHunks, AreTheLongestBlockFirst) {
  const std::vector<std::string> before = {"x", "a", "b", "c", "y"};
  const std::vector<std::string> after = {"a", "x", "a", "b", "c"};
  EXPECT_THAT(line_hunks(before, after),
              ElementsAre(LineHunk{0, {}, {"a"}}, LineHunk{4, {"y"}, {}}));
}

}  // namespace
}  // namespace redraft
