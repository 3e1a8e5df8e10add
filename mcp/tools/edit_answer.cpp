#include "mcp/tools/edit_answer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "workspace/documents/text_edit.h"
#include "workspace/documents/unified_diff.h"

namespace redraft::mcp {
namespace {

constexpr std::size_t kMaxDiffBytes = 100'000;

std::vector<TextEdit> edits_of(const std::vector<PlacedEdit>& placed) {
  std::vector<TextEdit> edits;
  for (const PlacedEdit& each : placed) edits.push_back(each.edit);
  return edits;
}

std::string cut(std::string diff) {
  if (diff.size() <= kMaxDiffBytes) return diff;
  diff.resize(diff.rfind('\n', kMaxDiffBytes) + 1);
  return diff + "... (the rest of the diff is left out)\n";
}

std::string head_of(const FileOutcome& file) {
  const std::string count =
      std::to_string(file.edits.size()) + (file.edits.size() == 1 ? " change" : " changes");
  switch (file.status) {
    case FileStatus::kWritten:
      return file.path + ": written, " + count;
    case FileStatus::kWouldWrite:
      return file.path + ": not written because of dry_run, " + count;
    case FileStatus::kProposed:
      return file.path + ": proposed, " + count;
    case FileStatus::kUnchanged:
      return file.path + ": nothing to change, the file has this already";
    case FileStatus::kNotWritten:
      return file.path + ": NOT written, because of doubts about " + count +
             ". Check the diff. If it is right, send the same call with accept_doubts: true. If "
             "not, send a better change";
    case FileStatus::kFailed:
      break;
  }
  return "NOT written: " + file.error;
}

void add_text(const FileOutcome& file, std::string& text) {
  text += head_of(file) + "\n";
  for (const PlacedEdit& each : file.edits) {
    const bool is_told = std::ranges::any_of(file.doubts, [&](const std::string& doubt) {
      return each.doubt.find(doubt) != std::string::npos;
    });
    if (!each.doubt.empty() && !is_told) text += "doubt: " + each.doubt + "\n";
  }
  for (const std::string& doubt : file.doubts) text += "doubt: " + doubt + "\n";
  for (const std::string& note : file.notes) text += "note: " + note + "\n";
  text += file.diff;
}

Json to_json(const FileOutcome& file) {
  Json changes = Json::array();
  for (const PlacedEdit& each : file.edits) {
    Json change = {{"placed_by", each.decided_by}};
    if (!each.doubt.empty()) change["doubt"] = each.doubt;
    changes.push_back(std::move(change));
  }
  Json json = {{"path", file.path}, {"status", to_string(file.status)}};
  if (!file.edits.empty()) json["changes"] = std::move(changes);
  if (!file.diff.empty()) json["diff"] = file.diff;
  if (!file.doubts.empty()) json["doubts"] = file.doubts;
  if (!file.notes.empty()) json["notes"] = file.notes;
  if (!file.error.empty()) json["error"] = file.error;
  return json;
}

Json texts(const char* description) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", description}};
}

Json text(const char* description) { return {{"type", "string"}, {"description", description}}; }

}  // namespace

const char* to_string(FileStatus status) {
  switch (status) {
    case FileStatus::kWritten:
      return "written";
    case FileStatus::kWouldWrite:
      return "would_write";
    case FileStatus::kProposed:
      return "proposed";
    case FileStatus::kUnchanged:
      return "unchanged";
    case FileStatus::kNotWritten:
      return "not_written";
    case FileStatus::kFailed:
      return "failed";
  }
  return "";
}

bool has_doubts(const FileOutcome& outcome) {
  return !outcome.doubts.empty() ||
         std::ranges::any_of(outcome.edits, [](const PlacedEdit& e) { return !e.doubt.empty(); });
}

void set_placing(const Document& document, const Placing& placing, FileOutcome& outcome) {
  outcome.edits = placing.edits;
  outcome.doubts = placing.doubts;
  outcome.notes = placing.notes;
  if (!placing.why_none.empty()) {
    outcome.status = FileStatus::kFailed;
    outcome.error = outcome.path + ": the place of the change is not certain: " + placing.why_none;
  } else if (placing.edits.empty()) {
    outcome.status = FileStatus::kUnchanged;
  } else {
    outcome.status = FileStatus::kWouldWrite;
    outcome.diff = cut(unified_diff(outcome.path, document.text(), edits_of(placing.edits)));
  }
}

ToolAnswer answer_of(const std::vector<FileOutcome>& files, std::string_view further) {
  ToolAnswer answer{.text = {}, .structured = {{"files", Json::array()}}};
  for (const FileOutcome& file : files) {
    if (!answer.text.empty()) answer.text += "\n";
    add_text(file, answer.text);
    answer.structured["files"].push_back(to_json(file));
    answer.is_error = answer.is_error || file.status == FileStatus::kFailed ||
                      file.status == FileStatus::kNotWritten;
  }
  answer.text += further;
  return answer;
}

Json edit_output_schema(const Json& more) {
  const Json change = {
      {"type", "object"},
      {"properties",
       {{"placed_by", text("lines: equal lines say where it goes; tree: the syntax tree does")},
        {"doubt", text("why it may be wrong")}}}};
  const Json file = {
      {"type", "object"},
      {"properties",
       {{"path", text("relative to its root")},
        {"status",
         {{"type", "string"},
          {"enum", {"written", "would_write", "proposed", "unchanged", "not_written", "failed"}}}},
        {"diff", text("the unified diff of what was or would be written")},
        {"changes", {{"type", "array"}, {"items", change}}},
        {"doubts", texts("why the edit may be wrong")},
        {"notes", texts("what was left out or done otherwise")},
        {"error", text("why nothing was written")}}},
      {"required", {"path", "status"}}};
  Json schema = {{"type", "object"},
                 {"properties",
                  {{"files", {{"type", "array"}, {"items", file}}},
                   {"error", text("why the call as a whole failed")}}}};
  schema["properties"].update(more);
  return schema;
}

}  // namespace redraft::mcp
