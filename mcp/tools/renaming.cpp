#include "mcp/tools/renaming.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "indexing/syntax/name_uses.h"
#include "text/strings/names.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/edit_rename.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/instruction.h"
#include "workspace/edit/rename_check.h"
#include "workspace/edit/rename_elsewhere.h"
#include "workspace/edit/rename_things.h"
#include "workspace/edit/run_edit.h"

namespace redraft::mcp {
namespace {

constexpr std::size_t kMaxLineBytes = 200;

Result<std::shared_ptr<const Document>> document_of(const NamedText& text) {
  return Document::make(text.path, 0, text.text, text.language);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_byte);
}

// "Store.load" has an owner.
bool is_name_with_owner(std::string_view text) {
  const std::size_t dot = text.find('.');
  return dot == std::string_view::npos
             ? is_name(text)
             : is_name(text.substr(0, dot)) && is_name(text.substr(dot + 1));
}

std::string last_name(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Where the name stands in the line, from 1.
Result<std::size_t> cursor_in(const Document& document, int line, const std::string& name) {
  const LineIndex& lines = document.lines();
  if (line > lines.line_count())
    return Error("the file has " + std::to_string(lines.line_count()) + " lines");
  const std::size_t begin = lines.start(line - 1);
  const std::string_view text =
      std::string_view(document.text()).substr(begin, lines.content_end(line - 1) - begin);
  const std::size_t at = find_name(text, name);
  if (at == std::string_view::npos)
    return Error("line " + std::to_string(line) + " does not have the name '" + name +
                 "'. It is: " + std::string(trimmed(text)));
  return begin + at;
}

Result<EditRequest> request_of(const HomeTask& task) {
  for (const std::string* name : {&task.name, &task.new_name}) {
    if (!is_name_with_owner(*name)) return Error("'" + *name + "' is not a name");
  }
  Result<std::shared_ptr<const Document>> document = document_of(task.home);
  if (!document) return document.error();
  EditRequest request;
  request.document = *std::move(document);
  request.instruction = "rename `" + task.name + "` to `" + task.new_name + "`";
  if (task.line) {
    const Result<std::size_t> cursor =
        cursor_in(*request.document, *task.line, last_name(task.name));
    if (!cursor) return cursor.error();
    request.cursor = *cursor;
    request.range = ByteRange{*cursor, *cursor};
    request.scope = EditScope::kAround;
  }
  return request;
}

Error not_followed(const HomeTask& task, const Document& document) {
  if (document.syntax() == nullptr || !document.syntax()->meanings_of(last_name(task.name)))
    return Error("redraft does not follow names in this language. Use edit_file");
  return Error("it is not certain what '" + task.name + "' is in this file" +
               (task.line ? ". Use edit_file"
                          : ": give the `line` of one of its uses, or its owner as in "
                            "'Type." +
                                task.name + "'"));
}

std::string line_text(const Document& document, int line) {
  const std::size_t begin = document.lines().start(line);
  const std::string text(trimmed(
      std::string_view(document.text()).substr(begin, document.lines().content_end(line) - begin)));
  return text.substr(0, kMaxLineBytes);
}

Json to_json(const NamedText& text) {
  return {{"path", text.path}, {"language", text.language}, {"text", text.text}};
}

NamedText text_of(const Json& json) {
  return {.path = json.at("path"), .language = json.at("language"), .text = json.at("text")};
}

template <typename Read>
auto read_answer(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const Json::exception&) {
    return Error("the process that reads code gave an answer that cannot be read");
  }
}

}  // namespace

Result<HomeRenaming> rename_at_home(const HomeTask& task) {
  const Result<EditRequest> request = request_of(task);
  if (!request) return request.error();
  if (const Result<void> checked = check_names(*request); !checked) return checked.error();
  const std::vector<RenameWish> wishes = renames_in(request->instruction);
  std::optional<Rename> rename = find_rename(*request);
  if (!rename || wishes.size() != 1) return not_followed(task, *request->document);
  HomeRenaming renaming{.from = wishes.front().from};
  const auto meanings = request->document->syntax()->meanings_of(renaming.from);
  for (const NamedThing* thing : chosen_things(*request, wishes.front(), *meanings)) {
    const bool is_member = thing->kind == NamedThing::Kind::kMember;
    renaming.is_member = renaming.is_member || is_member;
    renaming.is_elsewhere =
        renaming.is_elsewhere || is_member || thing->kind == NamedThing::Kind::kOfFile;
  }
  renaming.placing =
      placing_of(*carry_out_without_model(*request, FirstDecision(*std::move(rename))));
  return renaming;
}

OtherRenaming rename_in(const OtherTask& task) {
  const auto home = document_of(task.home), other = document_of(task.other);
  OtherRenaming renaming;
  if (!home || !other) return renaming;
  const RenamedForOthers what{.home = *home,
                              .path = task.home.path,
                              .from = task.from,
                              .to = task.to,
                              .is_member = task.is_member};
  const RenamedElsewhere found = rename_elsewhere(what, **other, task.other.path);
  for (const TextEdit& edit : found.edits) renaming.placing.edits.push_back({edit, "tree", {}});
  for (const UndecidedUse& use : found.undecided) {
    const int line = (*other)->lines().line_of(use.range.begin);
    renaming.undecided.push_back({use.range.begin, line + 1, line_text(**other, line), use.why});
  }
  renaming.passes_on = found.passes_on;
  return renaming;
}

Json to_json(const HomeTask& task) {
  return {{"home", to_json(task.home)},
          {"name", task.name},
          {"new_name", task.new_name},
          {"line", task.line.value_or(0)}};
}

HomeTask home_task_of(const Json& json) {
  HomeTask task{.home = text_of(json.at("home")),
                .name = json.at("name"),
                .new_name = json.at("new_name"),
                .line = {}};
  if (const int line = json.at("line"); line > 0) task.line = line;
  return task;
}

Json to_json(const OtherTask& task) {
  return {{"home", to_json(task.home)},
          {"other", to_json(task.other)},
          {"from", task.from},
          {"to", task.to},
          {"is_member", task.is_member}};
}

OtherTask other_task_of(const Json& json) {
  return {.home = text_of(json.at("home")),
          .other = text_of(json.at("other")),
          .from = json.at("from"),
          .to = json.at("to"),
          .is_member = json.at("is_member")};
}

Json to_json(const Result<HomeRenaming>& renaming) {
  if (!renaming) return to_json(Result<Placing>(renaming.error()));
  return {{"placing", to_json(Result<Placing>(renaming->placing))},
          {"from", renaming->from},
          {"is_elsewhere", renaming->is_elsewhere},
          {"is_member", renaming->is_member}};
}

Json to_json(const OtherRenaming& renaming) {
  Json undecided = Json::array();
  for (const UndecidedPlace& place : renaming.undecided)
    undecided.push_back(
        {{"offset", place.offset}, {"line", place.line}, {"text", place.text}, {"why", place.why}});
  return {{"placing", to_json(Result<Placing>(renaming.placing))},
          {"undecided", std::move(undecided)},
          {"passes_on", renaming.passes_on}};
}

Result<HomeRenaming> home_renaming_of(const Json& json, const std::string& text) {
  return read_answer([&]() -> Result<HomeRenaming> {
    if (json.contains("error")) return Error(json.at("error").get<std::string>());
    Result<Placing> placing = placing_of(json.at("placing"), text);
    if (!placing) return placing.error();
    return HomeRenaming{.placing = *std::move(placing),
                        .from = json.at("from"),
                        .is_elsewhere = json.at("is_elsewhere"),
                        .is_member = json.at("is_member")};
  });
}

Result<OtherRenaming> other_renaming_of(const Json& json, const std::string& text) {
  return read_answer([&]() -> Result<OtherRenaming> {
    Result<Placing> placing = placing_of(json.at("placing"), text);
    if (!placing) return placing.error();
    OtherRenaming renaming{.placing = *std::move(placing)};
    for (const Json& each : json.at("undecided"))
      renaming.undecided.push_back(
          {each.at("offset"), each.at("line"), each.at("text"), each.at("why")});
    renaming.passes_on = json.at("passes_on");
    return renaming;
  });
}

}  // namespace redraft::mcp
