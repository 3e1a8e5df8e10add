#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

enum class TaskKind { kEdits, kDialogue, kGeneration, kCompletion };
const char* to_string(TaskKind kind);

// A text to edit, and the expected result.
struct EditText {
  std::string before;
  std::optional<std::string> after;  // nullopt if the source does not give it
};

// The lines of a repository's file that a completion task hides, 1-based, both inclusive.
struct HiddenLines {
  std::filesystem::path repository;  // the file of JSON lines that contains the repository
  std::string path;
  int first = 0;
  int last = 0;
};

// How a task's output is judged, if it comes with tests.
struct TaskTests {
  std::string code;
  std::string entry_point;  // empty: the code calls it itself
};

// One line of a task file. Which members are set depends on the kind.
struct BenchTask {
  TaskKind kind = TaskKind::kEdits;
  std::string id;
  std::string language;
  std::string category;  // or the repository of a task from one; empty: none
  std::optional<TaskTests> tests;

  // Edits: the whole file if the source has it, otherwise the region around the change; both if it
  // has both.
  std::string file_name;
  std::string instruction;
  std::optional<EditText> file;
  std::optional<EditText> region;
  bool is_commit = false;  // a change that a person committed, in their own words
  std::vector<std::string>
      recent_edits;  // for a commit: earlier diffs of its file, the latest first

  // Dialogue: what the user says, turn by turn, and stored answers (the same number, or none).
  std::vector<std::string> turns;
  std::vector<std::string> answers;

  // Generation: the prompt. Completion: the text before and after the cursor.
  std::string prompt;
  std::string suffix;
  std::optional<std::string> reference;
  std::optional<HiddenLines> hidden;

  int n_turns() const { return turns.empty() ? 1 : static_cast<int>(turns.size()); }
};

// A task that was left out, and why.
struct SkippedTask {
  std::string id;
  std::string reason;
};

struct TaskFile {
  std::vector<BenchTask> tasks;
  std::vector<SkippedTask> skipped;
};

struct TaskOptions {
  // Which of CanItEdit's two instructions: "descriptive" or "lazy".
  std::string instruction = "descriptive";
  // The second turn of a dialogue is MT-Bench's own (`mtbench_turn2`), not the task's.
  bool mtbench_turn2 = false;
};

// Reads untrusted JSON lines. A line that is not a JSON object, has no id or a duplicate id, or has
// a known field of a wrong type is an error that names file and line. A valid line that is not a
// task of `kind` (an edit without a text before it) is skipped.
Result<TaskFile> read_tasks(const std::filesystem::path& file, TaskKind kind,
                            const TaskOptions& options);

// The same from lines in memory; `name` is used in errors.
Result<TaskFile> parse_tasks(const std::filesystem::path& name, std::string_view lines,
                             TaskKind kind, const TaskOptions& options);

}  // namespace redraft
