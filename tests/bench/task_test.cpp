#include "bench/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Result<TaskFile> parse(TaskKind kind, std::string_view lines, const TaskOptions& options = {}) {
  return parse_tasks("data/edit/f.jsonl", lines, kind, options);
}

std::string error_of(TaskKind kind, std::string_view lines) {
  const Result<TaskFile> tasks = parse(kind, lines);
  return tasks ? "no error" : tasks.error().message();
}

std::string reason_of(TaskKind kind, std::string_view line) {
  const Result<TaskFile> tasks = parse(kind, line);
  if (!tasks) return tasks.error().message();
  return tasks->skipped.empty() ? "not skipped" : tasks->skipped.front().reason;
}

TEST(ReadTasks, AnEditWithEverything) {
  const auto file = parse(TaskKind::kEdits, R"({"id": "a", "language": "python", "path": "x/y.py",
      "instruction": "Do.", "before": "1\n", "after": "2\n", "tests": "assert 1",
      "region": {"before_first_line": 3, "before": "3\n", "after": "4\n"}, "hunks": [{"a": 1}]})"
                                            "\n");
  EXPECT_FALSE(file) << "a task is one line";
  const auto tasks = parse(
      TaskKind::kEdits,
      R"({"id": "a", "language": "python", "path": "x/y.py", "instruction": "Do.", "before": "1\n", )"
      R"("after": "2\n", "tests": "assert 1", "region": {"before": "3\n", "after": "4\n"}})"
      "\n\n");
  ASSERT_TRUE(tasks) << tasks.error().message();
  ASSERT_THAT(tasks->tasks, SizeIs(1));
  const BenchTask& task = tasks->tasks.front();
  EXPECT_EQ(task.id, "a");
  EXPECT_EQ(task.file_name, "x/y.py");
  EXPECT_EQ(task.file->before, "1\n");
  EXPECT_EQ(task.file->after, "2\n");
  EXPECT_EQ(task.region->before, "3\n");
  EXPECT_EQ(task.tests->code, "assert 1");
  EXPECT_EQ(task.n_turns(), 1);
}

TEST(ReadTasks, ACommitWithTheEditsBeforeIt) {
  const std::string commit = R"({"id": "a", "instruction": "i", "before": "b", "commit": "12")";
  const auto tasks = parse(TaskKind::kEdits,
                           commit + R"(, "recent_edits": [{"diff": "d1", "subject": "s"}, {}]})");
  ASSERT_TRUE(tasks) << tasks.error().message();
  EXPECT_TRUE(tasks->tasks.front().is_commit);
  EXPECT_THAT(tasks->tasks.front().recent_edits, testing::ElementsAre("d1", ""));
  EXPECT_FALSE(parse(TaskKind::kEdits, commit + R"(, "recent_edits": ["d1"]})"));
  EXPECT_FALSE(parse(TaskKind::kEdits, commit + R"(, "recent_edits": [{"diff": 1}]})"));
}

TEST(ReadTasks, OneOfTwoInstructions) {
  constexpr const char* kLine =
      R"({"id": "a", "instruction_descriptive": "long", "instruction_lazy": "short", "before": ""})";
  EXPECT_EQ(parse(TaskKind::kEdits, kLine)->tasks.front().instruction, "long");
  EXPECT_EQ(parse(TaskKind::kEdits, kLine, {.instruction = "lazy"})->tasks.front().instruction,
            "short");
}

TEST(ReadTasks, ATasksCategoryOrElseItsRepository) {
  const auto category = [](const std::string& fields) {
    const auto tasks = parse(TaskKind::kGeneration, R"({"id": "a", "prompt": "x")" + fields + "}");
    return tasks ? tasks->tasks.front().category : tasks.error().message();
  };
  EXPECT_EQ(category(""), "");
  EXPECT_EQ(category(R"(, "repo": "r")"), "r");
  EXPECT_EQ(category(R"(, "category": "c", "repo": "r")"), "c");
  EXPECT_THAT(category(R"(, "category": 1)"), HasSubstr("category"));
}

TEST(ReadTasks, MtBenchsOwnSecondTurnIfItIsAskedFor) {
  constexpr const char* kLine =
      R"({"id": "a", "turns": ["1", "again"], "mtbench_turn2": "2", "answer_turns": ["x", "y"]})";
  const auto own = parse(TaskKind::kDialogue, kLine);
  EXPECT_THAT(own->tasks.front().turns, testing::ElementsAre("1", "again"));
  EXPECT_THAT(own->tasks.front().answers, SizeIs(2));
  const auto other = parse(TaskKind::kDialogue, kLine, {.mtbench_turn2 = true});
  EXPECT_THAT(other->tasks.front().turns, testing::ElementsAre("1", "2"));
  EXPECT_THAT(other->tasks.front().answers, SizeIs(0)) << "the second answers something else";
  const auto without =
      parse(TaskKind::kDialogue, R"({"id": "a", "turns": ["1"]})", {.mtbench_turn2 = true});
  EXPECT_THAT(without->tasks, SizeIs(0));
  EXPECT_THAT(without->skipped.front().reason, HasSubstr("mtbench_turn2"));
}

TEST(ReadTasks, OneFileOfAnObjectIsTakenSeveralAreNot) {
  const auto one = parse(
      TaskKind::kEdits,
      R"({"id": "a", "instruction": "i", "before": {"a.py": "1"}, "after": {"example.py": "2"}})");
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->tasks.front().file->after, "2");
  EXPECT_THAT(reason_of(TaskKind::kEdits,
                        R"({"id": "a", "instruction": "i", "before": {"a.h": "1", "a.c": "2"}})"),
              HasSubstr("2 files"));
}

TEST(ReadTasks, WhatIsNoTaskOfTheKindIsSkippedWithTheReason) {
  EXPECT_THAT(reason_of(TaskKind::kEdits, R"({"id": "a", "prompt": "p"})"), HasSubstr("'before'"));
  EXPECT_THAT(reason_of(TaskKind::kEdits, R"({"id": "a", "before": "b", "instruction": " "})"),
              HasSubstr("'instruction'"));
  EXPECT_THAT(reason_of(TaskKind::kDialogue, R"({"id": "a", "turns": []})"), HasSubstr("'turns'"));
  EXPECT_THAT(reason_of(TaskKind::kGeneration, R"({"id": "a"})"), HasSubstr("'prompt'"));
  EXPECT_THAT(reason_of(TaskKind::kCompletion, R"({"id": "a"})"), HasSubstr("'prefix'"));
  EXPECT_THAT(reason_of(TaskKind::kCompletion, R"({"id": "a", "prefix": ""})"),
              HasSubstr("before or after"));
}

TEST(ReadTasks, ErrorsNameFileAndLine) {
  EXPECT_THAT(error_of(TaskKind::kEdits, "\n{\"id\": \"a\", "), HasSubstr("f.jsonl:2: malformed"));
  EXPECT_THAT(error_of(TaskKind::kEdits, "[1]"), HasSubstr("f.jsonl:1"));
  EXPECT_THAT(error_of(TaskKind::kEdits, R"({"before": "x"})"), HasSubstr("has no 'id'"));
  EXPECT_THAT(error_of(TaskKind::kEdits, R"({"id": 3})"), HasSubstr("id: expected a string"));
  EXPECT_THAT(error_of(TaskKind::kEdits, R"({"id": "a", "before": 1, "instruction": "i"})"),
              HasSubstr("before: expected a string"));
  EXPECT_THAT(error_of(TaskKind::kEdits, R"({"id": "a", "before": {"f": 1}, "instruction": "i"})"),
              HasSubstr("expected a string"));
  EXPECT_THAT(
      error_of(TaskKind::kEdits, R"({"id": "a", "region": [], "before": "b", "instruction": "i"})"),
      HasSubstr("region: expected an object"));
  EXPECT_THAT(error_of(TaskKind::kDialogue, R"({"id": "a", "turns": ["x", 1]})"),
              HasSubstr("turns[1]"));
  EXPECT_THAT(error_of(TaskKind::kCompletion,
                       R"({"id": "a", "prefix": "p", "repo_file": "r", "body_line": -1})"),
              HasSubstr("body_line"));
  EXPECT_THAT(error_of(TaskKind::kGeneration, "{\"id\": \"a\", \"prompt\": \"\xff\"}"),
              HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of(TaskKind::kGeneration,
                       "{\"id\": \"a\", \"prompt\": \"p\"}\n{\"id\": \"a\", \"prompt\": \"p\"}"),
              HasSubstr("f.jsonl:2: the id 'a' came before"));
}

TEST(ReadTasks, ACompletionKnowsWhatItsRepositoryMustNotShow) {
  const auto tasks = parse(TaskKind::kCompletion,
                           R"({"id": "a", "prefix": "p", "suffix_head": "s", "reference": "r", )"
                           R"("repo_file": "repos/x.jsonl", "path": "m.py", "body_line": 3, )"
                           R"("body_end_line": 5})");
  ASSERT_TRUE(tasks) << tasks.error().message();
  const BenchTask& task = tasks->tasks.front();
  EXPECT_EQ(task.suffix, "s");
  EXPECT_EQ(task.hidden->repository, std::filesystem::path("data/repos/x.jsonl"));
  EXPECT_EQ(task.hidden->first, 3);
  EXPECT_EQ(task.hidden->last, 5);
}

TEST(ReadTasks, NumbersThatOnlyPythonWritesAreNoObstacle) {
  const auto tasks = parse(TaskKind::kGeneration,
                           R"({"id": "a", "prompt": "NaN \" Infinity", "in": [NaN, -Infinity]})");
  ASSERT_TRUE(tasks) << tasks.error().message();
  EXPECT_EQ(tasks->tasks.front().prompt, "NaN \" Infinity");
  EXPECT_FALSE(parse(TaskKind::kGeneration, R"({"id": "a", "in": [NaNs]})"));
  EXPECT_FALSE(parse(TaskKind::kGeneration, R"({"id": "a", "in": "\)"));
}

TEST(ReadTasks, AMissingFileOrAFolder) {
  EXPECT_THAT(read_tasks("no/such.jsonl", TaskKind::kEdits, {}).error().message(),
              HasSubstr("no/such.jsonl: cannot be read"));
  EXPECT_THAT(read_tasks(".", TaskKind::kEdits, {}).error().message(), HasSubstr("is a folder"));
}

// Where redraft is developed, the benchmark data is next to the checkout.
TEST(ReadTasks, EveryFileOfTheBenchmarkData) {
  const std::filesystem::path data =
      std::filesystem::path(REDRAFT_SOURCE) / ".." / "shared" / "data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "the benchmark data is not here";
  const std::pair<const char*, TaskKind> folders[] = {{"edit", TaskKind::kEdits},
                                                      {"dialogue", TaskKind::kDialogue},
                                                      {"generation", TaskKind::kGeneration},
                                                      {"completion", TaskKind::kCompletion}};
  for (const auto& [folder, kind] : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(data / folder)) {
      const auto tasks = read_tasks(entry.path(), kind, {});
      ASSERT_TRUE(tasks) << tasks.error().message();
      EXPECT_GT(tasks->tasks.size(), tasks->skipped.size()) << entry.path();
    }
  }
}

}  // namespace
}  // namespace redraft
