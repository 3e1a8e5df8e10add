#include "mcp/tools/edit_by_instruction.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/files/permitted_file.h"
#include "mcp/tools/edit_answer.h"
#include "mcp/tools/placing.h"
#include "workspace/documents/file_uri.h"

namespace redraft::mcp {
namespace {

constexpr const char* kKnown =
    "path, instruction, first_line, last_line, dry_run, accept_doubts, allow_ignored";

constexpr const char* kDescription =
    R"(Has a small language model on this machine change a file as an instruction says, for small mechanical edits that you can describe in one sentence: "add type hints", "use pathlib", "log the error before returning". Takes seconds to minutes. For anything that needs thought, write the code yourself and use edit_file.

Give `first_line` and `last_line` to change only these lines, or `first_line` alone for the function or block around it; without them, the places that the instruction is about. Answers with the diff.)";

struct Wish {
  std::string path, instruction;
  std::optional<int> first_line, last_line;
  WriteOptions write;
  FilePermission permission;
};

Json input_schema() {
  return {{"type", "object"},
          {"properties",
           {{"path", argument_schema("string", "The file")},
            {"instruction", argument_schema("string", "What to change, in a sentence")},
            {"first_line", argument_schema("integer", "The first line that may change, from 1")},
            {"last_line", argument_schema("integer", "The last line that may change")},
            {"dry_run", argument_schema("boolean", "Only answer with the diff; write nothing")},
            {"accept_doubts",
             argument_schema("boolean", "Write also what redraft doubts. Check the diff first")},
            {"allow_ignored", argument_schema("boolean", "Also change a file that git ignores")}}},
          {"required", {"path", "instruction"}},
          {"additionalProperties", false}};
}

Result<Wish> wish_of(const Json& json) {
  const Result<Arguments> arguments = Arguments::of(json, kKnown);
  if (!arguments) return arguments.error();
  const Result<std::string> path = arguments->text("path"),
                            instruction = arguments->text("instruction");
  if (!path || !instruction) return (path ? instruction : path).error();
  const Result<std::optional<int>> first = arguments->number("first_line"),
                                   last = arguments->number("last_line");
  if (!first || !last) return (first ? last : first).error();
  if (*last && (!*first || **last < **first))
    return Error("`last_line` needs a `first_line` that is not below it");
  const Result<bool> dry_run = arguments->flag("dry_run"),
                     accepts = arguments->flag("accept_doubts"),
                     ignored = arguments->flag("allow_ignored");
  for (const Result<bool>* each : {&dry_run, &accepts, &ignored}) {
    if (!*each) return each->error();
  }
  return Wish{*path, *instruction, *first, *last, {*dry_run, *accepts}, {.ignored = *ignored}};
}

// What the notifications of one edit say.
class EditWatch {
 public:
  EditWatch(Call& call, const Document& document) : call_(call), document_(document) {}

  void take(const Json& params) {
    if (member(params, "editId") != id_) return;
    const std::string kind = text_member(params, "kind").value_or("");
    if (kind == "hunk") add_hunk(params);
    if (kind == "dropped") hunks_.erase(member(params, "hunkId"));
    if (kind == "end") end_ = params;
    if (kind == "progress" && member(params, "fraction").is_number()) {
      const double percent = 100 * params["fraction"].get<double>();
      const bool reads = !member(params, "statistics").contains("passes");
      call_.report(percent, 100, reads ? "the model reads the file" : "the model writes");
    }
  }

  void set_id(const Json& id) { id_ = id; }
  bool is_over() const { return !end_.is_null() || is_broken_; }

  Result<Placing> placing() const {
    if (is_broken_) return Error("the server answered with a change that does not fit the file");
    if (end_["state"] != "done")
      return Error(text_member(end_, "error").value_or("the edit was cancelled"));
    if (member(end_, "finishReason") == "length")
      return Error("the model's answer was cut off. Name fewer lines");
    Placing placing;
    std::map<int, std::string> doubts;
    for (const Json& doubt : member(end_, "doubts")) {
      const std::string reason = text_member(doubt, "reason").value_or("");
      placing.doubts.push_back(reason);
      for (const Json& hunk : member(doubt, "hunkIds")) doubts[hunk.get<int>()] += reason;
    }
    for (const auto& [id, edit] : hunks_) {
      placing.edits.push_back(edit);
      placing.edits.back().doubt = doubts[id];
    }
    for (const Json& note : member(end_, "tidied")) placing.notes.push_back(note);
    if (const auto hint = text_member(end_, "hint")) placing.notes.push_back(*hint);
    return placing;
  }

 private:
  void add_hunk(const Json& params) {
    const std::optional<ByteRange> range = byte_range(member(params, "range"), document_);
    const std::optional<std::string> text = text_member(params, "newText");
    const Json& id = member(params, "hunkId");
    if (!range || !text || !id.is_number_integer()) {
      is_broken_ = true;
      return;
    }
    hunks_[id.get<int>()] = {
        {*range, *text}, text_member(params, "decidedBy").value_or("model"), {}};
  }

  Call& call_;
  const Document& document_;
  Json id_;
  std::map<int, PlacedEdit> hunks_;  // in file order
  Json end_;
  bool is_broken_ = false;
};

Json edit_argument(const Wish& wish, const std::string& uri, const Document& document) {
  Json argument = {{"textDocument", {{"uri", uri}, {"version", 1}}},
                   {"instruction", wish.instruction},
                   {"scope", "file"}};
  if (!wish.first_line) return argument;
  const LineIndex& lines = document.lines();
  const std::size_t begin = lines.start(*wish.first_line - 1);
  const bool is_cursor = !wish.last_line;
  const std::size_t end =
      is_cursor ? begin : lines.start(std::min(*wish.last_line, lines.line_count()));
  argument["range"] = lsp_range({begin, end}, document);
  argument["scope"] = is_cursor ? "auto" : "selection";
  return argument;
}

Result<Placing> have_edited(Call& call, LanguageServer& server, const Wish& wish,
                            const PermittedFile& file) {
  const Document& document = *file.document();
  const std::string uri = uri_of_path(file.path());
  EditWatch watch(call, document);
  std::vector<Json> early;  // that come before the edit's number is known
  bool has_id = false;
  server.on_notification = [&](const std::string& method, const Json& params) {
    if (method != "$/redraft/edit") return;
    has_id ? watch.take(params) : early.push_back(params);
  };
  const OpenInServer open(server, uri, document);
  if (!open.opened()) return open.opened().error();
  const Json arguments = Json::array({edit_argument(wish, uri, document)});
  const Result<Json> started = server.request(
      call, "workspace/executeCommand", {{"command", "redraft.edit"}, {"arguments", arguments}});
  if (!started) return started.error();
  watch.set_id(member(*started, "editId"));
  has_id = true;
  for (const Json& params : early) watch.take(params);
  const Result<void> waited = server.wait(call, [&] { return watch.is_over(); });
  if (!waited) return waited.error();
  const Result<Placing> placing = watch.placing();
  if (!placing) return placing.error();
  return placing_of(to_json(placing), document.text());  // checks that the edits fit
}

ToolAnswer run_edit(Call& call, LanguageServer& server, FileWriter& writer) {
  const Result<Wish> wish = wish_of(call.arguments());
  if (!wish) return failed(wish.error().message());
  const auto roots = call.roots();
  if (!roots) return failed(roots.error().message());
  const Result<PermittedFile> file = PermittedFile::open(*roots, wish->path, wish->permission);
  if (!file) return failed(file.error().message());
  if (wish->first_line && *wish->first_line > file->document()->lines().line_count())
    return failed("`first_line` is beyond the end of the file");
  if (const Result<void> begun = server.begin(call, **roots); !begun)
    return failed(begun.error().message());
  const Result<Placing> placing = have_edited(call, server, *wish, *file);
  server.on_notification = {};
  if (!placing) return failed(file->shown() + ": " + placing.error().message());
  FileOutcome outcome{.path = file->shown()};
  set_placing(*file->document(), *placing, outcome);
  writer.write_if_wanted(call, *file, wish->write, outcome);
  return answer_of({outcome});
}

}  // namespace

Tool edit_by_instruction_tool(std::shared_ptr<LanguageServer> server,
                              std::shared_ptr<FileWriter> writer) {
  return {.name = "edit_by_instruction",
          .title = "Edit by instruction",
          .description = kDescription,
          .input_schema = input_schema(),
          .output_schema = edit_output_schema(),
          .is_long = true,
          .run = [server = std::move(server), writer = std::move(writer)](Call& call) {
            return run_edit(call, *server, *writer);
          }};
}

}  // namespace redraft::mcp
