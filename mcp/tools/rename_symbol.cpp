#include "mcp/tools/rename_symbol.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexing/files/file_scan.h"
#include "indexing/files/ignore_files.h"
#include "indexing/files/source_file.h"
#include "languages/languages.h"
#include "mcp/files/permitted_file.h"
#include "mcp/tools/edit_answer.h"
#include "mcp/tools/renaming.h"
#include "mcp/tools/worker_tasks.h"
#include "text/strings/names.h"

namespace redraft::mcp {
namespace {

// Some thousand files are read in a tenth of a second.
constexpr std::size_t kMaxFiles = 20000;
constexpr std::size_t kMaxListed = 100;
constexpr std::size_t kMaxHomes = 30;  // files from which the name can be imported

constexpr const char* kKnown = "path, name, new_name, line, dry_run, accept_doubts";

constexpr const char* kDescription =
    R"(Renames a function, type, member, variable or parameter: where it is declared and everywhere it is used, in all files of the project. Goes by scope and imports, so other things of that name stay. Comments and strings in other files stay.

Call it for the file that declares the name. Writes what is certain and answers with the diff; places that could not be decided are listed with their lines, so change those yourself if they mean the same. If the name means several things in the file, give the `line` of one use, or "Type.member" as the name.)";

struct Wish {
  std::string path, name, new_name;
  std::optional<int> line;
  bool dry_run = false;
  bool accepts_doubts = false;
};

// A file with its new places.
struct Item {
  PermittedFile file;
  FileOutcome outcome = {};
};

// Another file that has the name. The maps are by offsets.
struct Other {
  PermittedFile file;
  std::map<std::size_t, PlacedEdit> edits = {};
  std::map<std::size_t, UndecidedPlace> undecided = {};
  bool is_home = false;  // others may import the name from here
};

struct Listed {
  std::string path;
  UndecidedPlace place;
};

Json input_schema() {
  return {{"type", "object"},
          {"properties",
           {{"path", argument_schema("string", "The file that declares the name")},
            {"name", argument_schema("string", "The old name, or \"Type.member\"")},
            {"new_name", argument_schema("string", "The new name")},
            {"line", argument_schema("integer",
                                     "A line of the file, from 1, where the name stands for "
                                     "what is meant; needed if it means several things")},
            {"dry_run", argument_schema("boolean", "Only answer with the diff; write nothing")},
            {"accept_doubts",
             argument_schema("boolean", "Write also what redraft doubts. Check the diff first")}}},
          {"required", {"path", "name", "new_name"}},
          {"additionalProperties", false}};
}

Json output_schema() {
  const Json place = {{"type", "object"},
                      {"properties",
                       {{"path", {{"type", "string"}}},
                        {"line", {{"type", "integer"}}},
                        {"text", {{"type", "string"}}},
                        {"why", {{"type", "string"}}}}}};
  return edit_output_schema(
      {{"undecided",
        {{"type", "array"},
         {"items", place},
         {"description", "places of the old name that may mean the same, and were left"}}}});
}

Result<Wish> wish_of(const Json& json) {
  const Result<Arguments> arguments = Arguments::of(json, kKnown);
  if (!arguments) return arguments.error();
  Result<std::string> path = arguments->text("path"), name = arguments->text("name"),
                      new_name = arguments->text("new_name");
  for (const Result<std::string>* each : {&path, &name, &new_name}) {
    if (!*each) return each->error();
  }
  const Result<std::optional<int>> line = arguments->number("line");
  if (!line) return line.error();
  const Result<bool> dry_run = arguments->flag("dry_run");
  const Result<bool> accepts = arguments->flag("accept_doubts");
  if (!dry_run || !accepts) return (dry_run ? accepts : dry_run).error();
  return Wish{*path, *name, *new_name, *line, *dry_run, *accepts};
}

NamedText text_of(const PermittedFile& file) {
  return {.path = file.path().string(),
          .language = file.document()->language(),
          .text = file.document()->text()};
}

class RenameCall {
 public:
  RenameCall(Call& call, Worker& worker, FileWriter& writer, Wish wish)
      : call_(call), worker_(worker), writer_(writer), wish_(std::move(wish)) {}

  ToolAnswer run() {
    const Result<std::shared_ptr<const RootFolders>> roots = call_.roots();
    if (!roots) return failed(roots.error().message());
    roots_ = *roots;
    const Result<HomeRenaming> home = rename_home();
    if (!home) return failed(home.error().message());
    if (home->is_elsewhere) {
      const Result<void> renamed = rename_others(*home);
      if (!renamed) return failed(renamed.error().message());
    }
    write();
    return answer();
  }

 private:
  Result<HomeRenaming> rename_home() {
    Result<PermittedFile> file = PermittedFile::open(roots_, wish_.path, {});
    if (!file) return file.error();
    const HomeTask task{text_of(*file), wish_.name, wish_.new_name, wish_.line};
    const Result<Json> json = ask(call_, worker_, WorkerTask::kRenameAtHome, to_json(task));
    if (!json) return json.error().in(file->shown());
    Result<HomeRenaming> home = home_renaming_of(*json, file->document()->text());
    if (!home) return home.error().in(file->shown());
    add(*std::move(file), home->placing);
    return home;
  }

  void add(PermittedFile file, const Placing& placing) {
    Item item{.file = std::move(file)};
    item.outcome.path = item.file.shown();
    set_placing(*item.file.document(), placing, item.outcome);
    items_.push_back(std::move(item));
  }

  // All files of the roots that have the name, once for each file from which it can be imported.
  Result<void> rename_others(const HomeRenaming& home) {
    if (Result<void> opened = open_others(home.from); !opened) return opened;
    const PermittedFile first = items_.front().file;
    std::vector<const PermittedFile*> homes = {&first};
    for (std::size_t i = 0; i < homes.size() && i < kMaxHomes; ++i) {
      for (Other& other : others_) {
        if (call_.is_cancelled()) return Error("the call was cancelled");
        if (&other.file == homes[i]) continue;
        Result<bool> passes_on = rename_other(home, *homes[i], other);
        if (!passes_on) return passes_on.error();
        if (*passes_on && !std::exchange(other.is_home, true)) homes.push_back(&other.file);
      }
    }
    for (const Other& other : others_) take(other);
    return {};
  }

  Result<void> open_others(const std::string& name) {
    const std::vector<std::filesystem::path> files = files_like_home();
    const auto total = static_cast<double>(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (i % 100 == 0) {
        call_.report(static_cast<double>(i), total, "looking for the name in other files");
        if (call_.is_cancelled()) return Error("the call was cancelled");
      }
      const std::filesystem::path& path = files[i];
      const Result<std::string> text = read_source(path.parent_path(), path.filename().string());
      if (!text || !has_name(*text, name)) continue;
      // One that cannot be opened is a secret, or gone.
      if (Result<PermittedFile> file = PermittedFile::open(roots_, path.string(), {}))
        others_.push_back({.file = *std::move(file)});
    }
    return {};
  }

  std::vector<std::filesystem::path> files_like_home() {
    const PermittedFile& home = items_.front().file;
    const std::string_view family = family_of(home.document()->language());
    std::vector<std::filesystem::path> files;
    ScanOptions options;
    options.look_inside = false;
    options.user_ignore_file = user_ignore_file();
    for (const RootFolder& root : roots_->folders()) {
      const ScanSink sink{.on_file = [&](const SourceFile& file) {
        if (files.size() == kMaxFiles) is_cut_ = true;
        if (!is_cut_ && family_of(file.language) == family) files.push_back(root.path / file.path);
        return !is_cut_;
      }};
      scan_roots({&root.path, 1}, options, sink);
    }
    std::erase(files, home.path());
    return files;
  }

  // Whether the name can be imported from the other file, too.
  Result<bool> rename_other(const HomeRenaming& home, const PermittedFile& from, Other& other) {
    const OtherTask task{text_of(from), text_of(other.file), home.from, wish_.new_name,
                         home.is_member};
    const Result<Json> json = ask(call_, worker_, WorkerTask::kRenameElsewhere, to_json(task));
    if (!json) return json.error().in(other.file.shown());
    const Result<OtherRenaming> renaming = other_renaming_of(*json, other.file.document()->text());
    if (!renaming) return renaming.error().in(other.file.shown());
    for (const PlacedEdit& edit : renaming->placing.edits)
      other.edits.emplace(edit.edit.range.begin, edit);
    for (const UndecidedPlace& place : renaming->undecided)
      other.undecided.emplace(place.offset, place);
    return renaming->passes_on;
  }

  void take(const Other& other) {
    for (const auto& [offset, place] : other.undecided) {
      if (!other.edits.contains(offset)) undecided_.push_back({other.file.shown(), place});
    }
    Placing placing;
    for (const auto& [offset, edit] : other.edits) placing.edits.push_back(edit);
    if (!placing.edits.empty()) add(other.file, placing);
  }

  // All files, unless there is a doubt.
  void write() {
    bool has_doubt = false;
    for (const Item& item : items_) has_doubt = has_doubt || has_doubts(item.outcome);
    if (has_doubt && !wish_.accepts_doubts) {
      for (Item& item : items_) item.outcome.status = FileStatus::kNotWritten;
      return;
    }
    if (wish_.dry_run) return;
    for (Item& item : items_) writer_.write(call_, item.file, item.outcome);
  }

  ToolAnswer answer() const {
    std::vector<FileOutcome> outcomes;
    for (const Item& item : items_) outcomes.push_back(item.outcome);
    std::string further;
    Json places = Json::array();
    for (const Listed& each : undecided_) {
      if (places.size() == kMaxListed) break;
      further += each.path + ":" + std::to_string(each.place.line) + ": " + each.place.text + " (" +
                 each.place.why + ")\n";
      places.push_back({{"path", each.path},
                        {"line", each.place.line},
                        {"text", each.place.text},
                        {"why", each.place.why}});
    }
    if (!further.empty())
      further = "\n" + std::to_string(undecided_.size()) +
                " places may mean the same and were left. Check them:\n" + further;
    if (is_cut_)
      further += "\nonly the first " + std::to_string(kMaxFiles) + " files were searched\n";
    ToolAnswer made = answer_of(outcomes, further);
    made.structured["undecided"] = std::move(places);
    return made;
  }

  Call& call_;
  Worker& worker_;
  FileWriter& writer_;
  Wish wish_;
  std::shared_ptr<const RootFolders> roots_;
  std::vector<Item> items_;  // the home first
  std::vector<Other> others_;
  std::vector<Listed> undecided_;
  bool is_cut_ = false;  // there are more files than are searched
};

}  // namespace

Tool rename_symbol_tool(std::shared_ptr<Worker> worker, std::shared_ptr<FileWriter> writer) {
  return {.name = "rename_symbol",
          .title = "Rename a symbol",
          .description = kDescription,
          .input_schema = input_schema(),
          .output_schema = output_schema(),
          .run = [worker = std::move(worker), writer = std::move(writer)](Call& call) {
            Result<Wish> wish = wish_of(call.arguments());
            if (!wish) return failed(wish.error().message());
            return RenameCall(call, *worker, *writer, *std::move(wish)).run();
          }};
}

}  // namespace redraft::mcp
