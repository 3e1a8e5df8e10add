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

// A text to edit and what is expected of it.
struct EditText {
  std::string before;
  std::optional<std::string> after;  // nothing where the source gives none
};

// Lines of a repository's file that a completion task asks for, 1-based, both inclusive.
struct HiddenLines {
  std::filesystem::path repository;  // the file of JSON lines that holds it
  std::string path;
  int first = 0;
  int last = 0;
};

// How a task's output is judged, where it carries tests.
struct TaskTests {
  std::string code;
  std::string entry_point;  // empty: the code calls it by itself
};

// One line of a task file. Which members are set depends on the kind.
struct BenchTask {
  TaskKind kind = TaskKind::kEdits;
  std::string id;
  std::string language;
  std::optional<TaskTests> tests;

  // Edits: the whole file where the source has it, else the region around the change; both where it
  // has both.
  std::string file_name;
  std::string instruction;
  std::optional<EditText> file;
  std::optional<EditText> region;

  // Dialogue: what the user says, turn by turn, and stored answers (as many, or none).
  std::vector<std::string> turns;
  std::vector<std::string> answers;

  // Generation: the prompt. Completion: what stands before and after the place.
  std::string prompt;
  std::string suffix;
  std::optional<std::string> reference;
  std::optional<HiddenLines> hidden;

  int n_turns() const { return turns.empty() ? 1 : static_cast<int>(turns.size()); }
};

// What was left out, and why.
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
};

// Reads JSON lines, hostile until parsed: a line that is no JSON object, has no id or an id that
// came before, or a known field of a wrong type is an error that names file and line. A sound line
// that is no task of `kind` (an edit without a text before it) is skipped.
Result<TaskFile> read_tasks(const std::filesystem::path& file, TaskKind kind,
                            const TaskOptions& options);

// The same from lines in memory; `name` is what errors call them.
Result<TaskFile> parse_tasks(const std::filesystem::path& name, std::string_view lines,
                             TaskKind kind, const TaskOptions& options);

}  // namespace redraft
