#include "bench/task.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "languages/languages.h"
#include "support/json/json_document.h"
#include "text/strings/lines.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

// Far more than a task needs, and small enough that a hostile line costs nothing.
constexpr JsonLimits kLineLimits{.bytes = std::size_t{16} << 20, .values = 1 << 18, .depth = 32};
constexpr std::int64_t kMaxLines = std::numeric_limits<int>::max();

// Reads the members of one object; the first one with a wrong type is kept as the error.
class Fields {
 public:
  explicit Fields(JsonValue object) : object_(object) {}

  // Nothing if it is missing or null.
  std::optional<std::string> text(std::string_view key) {
    const std::optional<JsonValue> value = object_.find(key);
    if (!value) return std::nullopt;
    const Result<std::string_view> text = value->text();
    if (text) return std::string(*text);
    fail(text.error());
    return std::nullopt;
  }
  std::string text_or_empty(std::string_view key) { return text(key).value_or(""); }
  int number(std::string_view key) {
    const std::optional<JsonValue> value = object_.find(key);
    if (!value) return 0;
    const Result<std::int64_t> number = value->integer(0, kMaxLines);
    if (!number) fail(number.error());
    return number ? static_cast<int>(*number) : 0;
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> texts;
    const std::optional<JsonValue> value = object_.find(key);
    if (!value) return texts;
    const Result<JsonValue> list = value->array();
    if (!list) fail(list.error());
    if (!list) return texts;
    for (const JsonValue each : *list) {
      const Result<std::string_view> text = each.text();
      if (!text) fail(text.error());
      if (text) texts.emplace_back(*text);
    }
    return texts;
  }
  std::optional<JsonValue> value(std::string_view key) const { return object_.find(key); }

  void fail(const Error& error) {
    if (!problem_) problem_ = error;
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  JsonValue object_;
  std::optional<Error> problem_;
};

// Why a line is not a task of the kind; nothing: it is one.
using Reason = std::optional<std::string>;

// A text, or an object that holds the text of one file.
std::optional<std::string> text_of_one_file(Fields& fields, std::string_view key, Reason& reason) {
  const std::optional<JsonValue> value = fields.value(key);
  if (!value || value->kind() != JsonValue::Kind::kObject) return fields.text(key);
  if (value->size() != 1) {
    reason =
        "'" + std::string(key) + "' holds " + std::to_string(value->size()) + " files, not one";
    return std::nullopt;
  }
  const Result<std::string_view> text = (*value->begin()).text();
  if (!text) fields.fail(text.error());
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

void read_region(Fields& fields, BenchTask& task) {
  const std::optional<JsonValue> value = fields.value("region");
  if (!value) return;
  const Result<JsonValue> object = value->object();
  if (!object) return fields.fail(object.error());
  Fields region(*object);
  std::optional<std::string> before = region.text("before");
  std::optional<std::string> after = region.text("after");
  if (region.problem()) return fields.fail(*region.problem());
  if (before) task.region = EditText{std::move(*before), std::move(after)};
}

void read_commit(Fields& fields, BenchTask& task) {
  task.is_commit = fields.text("commit").has_value();
  const std::optional<JsonValue> value = fields.value("recent_edits");
  if (!value) return;
  const Result<JsonValue> list = value->array();
  if (!list) return fields.fail(list.error());
  for (const JsonValue each : *list) {
    const Result<JsonValue> edit = each.object();
    if (!edit) return fields.fail(edit.error());
    Fields one(*edit);
    task.recent_edits.push_back(one.text_or_empty("diff"));
    if (one.problem()) return fields.fail(*one.problem());
  }
}

// The ending of a new file in the language.
std::string extension_of(const std::string& id) {
  const Language* const language = find_language(id);
  if (language == nullptr || language->files->empty()) return "txt";
  const std::vector<std::string_view> endings = split_words(language->files->front().endings);
  return endings.empty() ? "txt" : std::string(endings.front());
}

Reason read_edit(Fields& fields, const TaskOptions& options, BenchTask& task) {
  Reason reason;
  std::optional<std::string> before = text_of_one_file(fields, "before", reason);
  std::optional<std::string> after = text_of_one_file(fields, "after", reason);
  if (reason) return reason;
  if (before) task.file = EditText{std::move(*before), std::move(after)};
  read_region(fields, task);
  read_commit(fields, task);
  if (!task.file && !task.region) return "has no text 'before' to edit";
  std::optional<std::string> instruction = fields.text("instruction");
  if (!instruction) instruction = fields.text("instruction_" + options.instruction);
  if (!instruction || instruction->find_first_not_of(" \t\r\n") == std::string::npos)
    return "has no 'instruction'";
  task.instruction = std::move(*instruction);
  task.file_name = fields.text_or_empty("path");
  if (task.file_name.empty()) task.file_name = fields.text_or_empty("file");
  if (task.file_name.empty()) task.file_name = "main." + extension_of(task.language);
  return std::nullopt;
}

Reason read_dialogue(Fields& fields, const TaskOptions& options, BenchTask& task) {
  task.turns = fields.texts("turns");
  if (task.turns.empty()) return "has no 'turns'";
  if (options.mtbench_turn2) {
    std::optional<std::string> own = fields.text("mtbench_turn2");
    if (!own) return "has no 'mtbench_turn2'";
    task.turns.resize(1);
    task.turns.push_back(std::move(*own));
    return std::nullopt;  // stored answers are to another question
  }
  task.answers = fields.texts("answer_turns");
  if (task.answers.size() != task.turns.size()) task.answers.clear();
  return std::nullopt;
}

Reason read_generation(Fields& fields, BenchTask& task) {
  task.prompt = fields.text_or_empty("prompt");
  task.reference = fields.text("reference");
  return task.prompt.empty() ? Reason("has no 'prompt'") : std::nullopt;
}

Reason read_completion(const std::filesystem::path& file, Fields& fields, BenchTask& task) {
  const std::optional<std::string> prefix = fields.text("prefix");
  if (!prefix) return "has no 'prefix'";
  task.prompt = *prefix;
  const std::optional<std::string> suffix = fields.text("suffix");
  task.suffix = suffix ? *suffix : fields.text_or_empty("suffix_head");
  if (task.prompt.empty() && task.suffix.empty()) return "has nothing before or after the place";
  task.reference = fields.text("reference");
  task.file_name = fields.text_or_empty("path");
  if (task.file_name.empty()) task.file_name = "main." + extension_of(task.language);
  const int first = fields.number("body_line");
  const std::optional<std::string> repository = fields.text("repo_file");
  if (repository && first > 0) {
    // The name is relative to the folder of all data: repos/x.jsonl next to completion/.
    task.hidden = HiddenLines{file.parent_path().parent_path() / *repository,
                              fields.text_or_empty("path"), first, fields.number("body_end_line")};
  }
  return std::nullopt;
}

// QuixBugs' tests: lines of [arguments, expected].
std::string code_of_json_tests(const std::string& function, const std::string& lines) {
  std::string code = "import json\n\ndef _plain(value):\n    if hasattr(value, '__next__'):\n";
  code += "        value = list(value)\n    return json.loads(json.dumps(value))\n\n";
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::string hex;
    for (const unsigned char byte : line) {
      constexpr char kDigits[] = "0123456789abcdef";
      hex += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    code += "_given, _wanted = json.loads(bytes.fromhex('" + hex + "'))\n";
    code += "assert _plain(" + function +
            "(*(_given if isinstance(_given, list) else [_given]))) == _wanted\n";
  }
  return code;
}

// Whether the name may appear in a program.
bool is_identifier(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

void read_tests(Fields& fields, BenchTask& task) {
  if (task.language == "python" && fields.value("json_tests")) {
    const std::optional<std::string> lines = fields.text("json_tests");
    const std::string name = fields.text_or_empty("name");
    if (lines && is_identifier(name)) task.tests = TaskTests{code_of_json_tests(name, *lines), ""};
    return;
  }
  // Polyglot's tests are objects of files, which need a build of their own.
  const std::optional<JsonValue> tests = fields.value("tests");
  if (!tests || tests->kind() != JsonValue::Kind::kText || task.language != "python") return;
  task.tests = TaskTests{fields.text_or_empty("tests"), fields.text_or_empty("entry_point")};
}

// Python writes numbers into its JSON that JSON does not have. They occur in lists of inputs, which
// are not used here. Outside of strings they become null.
std::string without_python_numbers(std::string_view line) {
  std::string out;
  bool in_text = false;
  while (!line.empty()) {
    std::size_t taken = 1;
    if (in_text && line.front() == '\\') {
      taken = std::min<std::size_t>(2, line.size());
    } else if (line.front() == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
        if (!line.starts_with(word)) continue;
        out += "null";
        line.remove_prefix(word.size());
        taken = 0;
        break;
      }
    }
    out += line.substr(0, taken);
    line.remove_prefix(taken);
  }
  return out;
}

Result<JsonDocument> parse_line(const std::string& where, std::string_view line) {
  Result<JsonDocument> document = JsonDocument::parse(where, line, kLineLimits);
  if (document) return document;
  Result<JsonDocument> again =
      JsonDocument::parse(where, without_python_numbers(line), kLineLimits);
  return again ? std::move(again) : std::move(document);
}

Result<void> read_line(const std::filesystem::path& name, int number, std::string_view line,
                       TaskKind kind, const TaskOptions& options, std::set<std::string>& ids,
                       TaskFile& out) {
  const std::string where = name.string() + ":" + std::to_string(number);
  const Result<JsonDocument> document = parse_line(where, line);
  if (!document) return document.error();
  const Result<JsonValue> object = document->root().object();
  if (!object) return object.error();
  Fields fields(*object);
  BenchTask task;
  task.kind = kind;
  const std::optional<std::string> id = fields.text("id");
  if (!fields.problem() && (!id || id->empty())) fields.fail(object->error("has no 'id'"));
  task.id = id.value_or("");
  if (!fields.problem() && !ids.insert(task.id).second)
    fields.fail(object->error("the id '" + task.id + "' came before"));
  task.language = fields.text_or_empty("language");
  task.category = fields.text_or_empty("category");
  if (task.category.empty()) task.category = fields.text_or_empty("repo");
  Reason reason;
  switch (kind) {
    case TaskKind::kEdits:
      reason = read_edit(fields, options, task);
      break;
    case TaskKind::kDialogue:
      reason = read_dialogue(fields, options, task);
      break;
    case TaskKind::kGeneration:
      reason = read_generation(fields, task);
      break;
    case TaskKind::kCompletion:
      reason = read_completion(name, fields, task);
      break;
  }
  read_tests(fields, task);
  if (fields.problem()) return *fields.problem();
  if (reason) {
    out.skipped.push_back({task.id, *reason});
  } else {
    out.tasks.push_back(std::move(task));
  }
  return {};
}

}  // namespace

const char* to_string(TaskKind kind) {
  switch (kind) {
    case TaskKind::kEdits:
      return "edits";
    case TaskKind::kDialogue:
      return "dialogue";
    case TaskKind::kGeneration:
      return "generation";
    case TaskKind::kCompletion:
      break;
  }
  return "completion";
}

Result<TaskFile> parse_tasks(const std::filesystem::path& name, std::string_view lines,
                             TaskKind kind, const TaskOptions& options) {
  TaskFile out;
  std::set<std::string> ids;
  int number = 0;
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const Result<void> read = read_line(name, number, line, kind, options, ids, out); !read)
      return read.error();
  }
  return out;
}

Result<TaskFile> read_tasks(const std::filesystem::path& file, TaskKind kind,
                            const TaskOptions& options) {
  std::error_code problem;
  if (std::filesystem::is_directory(file, problem))
    return Error(file.string() + ": is a folder; give a file of JSON lines");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error(file.string() + ": cannot be read: " + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return Error(file.string() + ": cannot be read");
  return parse_tasks(file, text, kind, options);
}

}  // namespace redraft
