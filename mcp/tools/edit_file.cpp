#include "mcp/tools/edit_file.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/files/permitted_file.h"
#include "mcp/tools/edit_answer.h"
#include "mcp/tools/placing.h"
#include "mcp/tools/worker_tasks.h"

namespace redraft::mcp {
namespace {

constexpr std::size_t kMaxFiles = 100;

constexpr const char* kKnown = "path, changes, more_files, dry_run, accept_doubts, allow_ignored";

constexpr const char* kDescription =
    R"(Changes existing files. You send the changed code in any usual form, and redraft finds where it belongs: by equal lines and by syntax, so small slips in whitespace or line numbers do no harm. Answers with the diff. Writes a file completely or not at all.

`changes` may be:
- SEARCH/REPLACE blocks:
<<<<<<< SEARCH
old lines
=======
new lines
>>>>>>> REPLACE
- a unified diff (line numbers may be wrong or missing),
- whole functions, classes or sections, which replace those of the same name,
- code in which a comment "... existing code ..." stands for lines that stay.

If a place is not certain, nothing is written, and the answer says what the file has there. To create a file, use another tool.)";

struct EditWish {
  std::string path;
  std::string changes;
};

struct Options {
  WriteOptions write;
  FilePermission permission;
};

// One file of a call.
struct Item {
  EditWish wish;
  std::optional<PermittedFile> file = {};
  FileOutcome outcome = {};
};

Json text(std::string_view description) { return argument_schema("string", description); }
Json flag(std::string_view description) { return argument_schema("boolean", description); }

Json input_schema() {
  constexpr const char* kPath = "The file: relative to the project's folder, or absolute";
  constexpr const char* kChanges =
      "The changed code for this file, in one of the forms of the tool's description";
  const Json other = {{"type", "object"},
                      {"properties", {{"path", text(kPath)}, {"changes", text(kChanges)}}},
                      {"required", {"path", "changes"}},
                      {"additionalProperties", false}};
  return {{"type", "object"},
          {"properties",
           {{"path", text(kPath)},
            {"changes", text(kChanges)},
            {"more_files",
             {{"type", "array"},
              {"items", other},
              {"description", "More files to change in the same call"}}},
            {"dry_run", flag("Only answer with the diff; write nothing")},
            {"accept_doubts", flag("Write also what redraft doubts. Check the diff first")},
            {"allow_ignored",
             flag("Also change files that git ignores, generated files and dependencies, if the "
                  "user wants that")}}},
          {"required", {"path", "changes"}},
          {"additionalProperties", false}};
}

Result<EditWish> wish_of(const Arguments& arguments) {
  Result<std::string> path = arguments.text("path");
  if (!path) return path.error();
  Result<std::string> changes = arguments.text("changes");
  if (!changes) return changes.error();
  return EditWish{*std::move(path), *std::move(changes)};
}

Result<std::vector<Item>> items_of(const Arguments& arguments) {
  std::vector<Item> items;
  Result<EditWish> first = wish_of(arguments);
  if (!first) return first.error();
  items.push_back({.wish = *std::move(first)});
  const Json& more = arguments.value("more_files");
  if (more.is_null()) return items;
  if (!more.is_array()) return Error("the argument `more_files` must be a list of objects");
  if (more.size() >= kMaxFiles)
    return Error("more than " + std::to_string(kMaxFiles) + " files: use several calls");
  for (const Json& each : more) {
    const Result<Arguments> other = Arguments::of(each, "path, changes");
    if (!other) return other.error().in("`more_files`");
    Result<EditWish> wish = wish_of(*other);
    if (!wish) return wish.error().in("`more_files`");
    items.push_back({.wish = *std::move(wish)});
  }
  return items;
}

Result<Options> options_of(const Arguments& arguments) {
  const Result<bool> dry_run = arguments.flag("dry_run");
  const Result<bool> accepts = arguments.flag("accept_doubts");
  const Result<bool> ignored = arguments.flag("allow_ignored");
  for (const Result<bool>* each : {&dry_run, &accepts, &ignored}) {
    if (!*each) return each->error();
  }
  return Options{{*dry_run, *accepts}, {.ignored = *ignored}};
}

class EditCall {
 public:
  EditCall(Call& call, Worker& worker, FileWriter& writer, const Options& options)
      : call_(call), worker_(worker), writer_(writer), options_(options) {}

  ToolAnswer run(std::vector<Item> items) {
    const Result<std::shared_ptr<const RootFolders>> roots = call_.roots();
    if (!roots) return failed(roots.error().message());
    const auto total = static_cast<double>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      call_.report(static_cast<double>(i), total, "placing the change in " + items[i].wish.path);
      if (const Result<void> placed = place(*roots, items, i); !placed)
        fail(items[i], placed.error());
      if (call_.is_cancelled()) return failed("the call was cancelled");
    }
    for (Item& item : items) {
      if (item.file) writer_.write_if_wanted(call_, *item.file, options_.write, item.outcome);
    }
    std::vector<FileOutcome> outcomes;
    for (Item& item : items) outcomes.push_back(std::move(item.outcome));
    return answer_of(outcomes);
  }

 private:
  static void fail(Item& item, const Error& error) {
    item.outcome.status = FileStatus::kFailed;
    item.outcome.error = error.message();
    if (item.outcome.path.empty()) item.outcome.path = item.wish.path;
  }

  Result<void> place(const std::shared_ptr<const RootFolders>& roots, std::vector<Item>& items,
                     std::size_t at) {
    Item& item = items[at];
    item.outcome.path = item.wish.path;
    Result<PermittedFile> file = PermittedFile::open(roots, item.wish.path, options_.permission);
    if (!file) return file.error();
    for (std::size_t i = 0; i < at; ++i) {
      if (items[i].file && items[i].file->is_same_file(*file))
        return Error(item.wish.path +
                     ": is in this call twice. Put all of its changes into one "
                     "`changes`");
    }
    item.outcome.path = file->shown();
    const Document& document = *file->document();
    const PlacingTask task{.path = file->shown(),
                           .language = document.language(),
                           .text = document.text(),
                           .change = item.wish.changes};
    const Result<Json> answer = ask(call_, worker_, WorkerTask::kPlace, to_json(task));
    if (!answer) return answer.error().in(file->shown());
    const Result<Placing> placing = placing_of(*answer, document.text());
    if (!placing) return placing.error().in(file->shown());
    set_placing(document, *placing, item.outcome);
    item.file = *std::move(file);
    return {};
  }

  Call& call_;
  Worker& worker_;
  FileWriter& writer_;
  Options options_;
};

ToolAnswer run_edit_file(Call& call, Worker& worker, FileWriter& writer) {
  const Result<Arguments> arguments = Arguments::of(call.arguments(), kKnown);
  if (!arguments) return failed(arguments.error().message());
  Result<std::vector<Item>> items = items_of(*arguments);
  if (!items) return failed(items.error().message());
  const Result<Options> options = options_of(*arguments);
  if (!options) return failed(options.error().message());
  return EditCall(call, worker, writer, *options).run(*std::move(items));
}

}  // namespace

Tool edit_file_tool(std::shared_ptr<Worker> worker, std::shared_ptr<FileWriter> writer) {
  return {.name = "edit_file",
          .title = "Edit files",
          .description = kDescription,
          .input_schema = input_schema(),
          .output_schema = edit_output_schema(),
          .run = [worker = std::move(worker), writer = std::move(writer)](Call& call) {
            return run_edit_file(call, *worker, *writer);
          }};
}

}  // namespace redraft::mcp
