#include "mcp/tools/placing.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "workspace/apply/change_mismatch.h"
#include "workspace/documents/document.h"
#include "workspace/edit/applied_change.h"
#include "workspace/edit/edit_request.h"

namespace redraft::mcp {
namespace {

constexpr int kSmallFile = 80;  // lines: it is shown as a whole if it has nothing alike

// "12| text": the lines of a file, so that the next change can quote them.
std::string numbered_lines(const Document& document) {
  const LineIndex& lines = document.lines();
  std::string text;
  for (int line = 0; line < lines.line_count(); ++line) {
    const std::size_t begin = lines.start(line);
    text += "\n" + std::to_string(line + 1) + "| " +
            document.text().substr(begin, lines.content_end(line) - begin);
  }
  return text;
}

std::string why_none(const Document& document, const std::vector<Mismatch>& mismatches) {
  std::string why;
  bool is_unlike = false;
  for (const Mismatch& mismatch : mismatches) {
    why += (why.empty() ? "" : "\n") + described(mismatch);
    is_unlike = is_unlike || mismatch.kind == MismatchKind::kNothingAlike;
  }
  if (is_unlike && document.lines().line_count() <= kSmallFile)
    why += "\nThe file is:" + numbered_lines(document);
  return why;
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& each : list) texts.push_back(each.get<std::string>());
  return texts;
}

bool begins_character(const std::string& text, std::size_t offset) {
  return offset == text.size() || (static_cast<unsigned char>(text[offset]) & 0xC0) != 0x80;
}

Result<void> check_edits(const std::vector<PlacedEdit>& edits, const std::string& text) {
  std::size_t at = 0;
  for (const PlacedEdit& each : edits) {
    const ByteRange range = each.edit.range;
    if (range.begin < at || range.end < range.begin || range.end > text.size() ||
        !begins_character(text, range.begin) || !begins_character(text, range.end))
      return Error("the process that places changes gave an impossible answer");
    at = range.end;
  }
  return {};
}

}  // namespace

Placing placing_of(const EditResult& result) {
  Placing placing{.notes = result.tidied};
  for (const Hunk& hunk : result.hunks)
    placing.edits.push_back({hunk.edit, to_string(hunk.origin.decided_by), hunk.doubt});
  for (const Doubt& doubt : result.doubts) placing.doubts.push_back(doubt.reason);
  return placing;
}

Result<Placing> place(const PlacingTask& task) {
  EditRequest request;
  Result<std::shared_ptr<const Document>> document =
      Document::make(task.path, 0, task.text, task.language);
  if (!document) return document.error();
  request.document = *std::move(document);
  request.change = task.change;
  const Result<AppliedChange> applied = apply_change(request);
  if (!applied) return applied.error();
  if (!applied->result)
    return Placing{.why_none = why_none(*request.document, applied->mismatches)};
  return placing_of(*applied->result);
}

Json to_json(const PlacingTask& task) {
  return {{"path", task.path},
          {"language", task.language},
          {"text", task.text},
          {"change", task.change}};
}

PlacingTask task_of(const Json& json) {
  return {.path = json.at("path"),
          .language = json.at("language"),
          .text = json.at("text"),
          .change = json.at("change")};
}

Json to_json(const Result<Placing>& placing) {
  if (!placing) return {{"error", placing.error().message()}};
  Json edits = Json::array();
  for (const PlacedEdit& each : placing->edits) {
    edits.push_back({{"begin", each.edit.range.begin},
                     {"end", each.edit.range.end},
                     {"text", each.edit.new_text},
                     {"by", each.decided_by},
                     {"doubt", each.doubt}});
  }
  return {{"edits", std::move(edits)},
          {"notes", placing->notes},
          {"doubts", placing->doubts},
          {"why_none", placing->why_none}};
}

Result<Placing> placing_of(const Json& json, const std::string& text) {
  try {
    if (json.contains("error")) return Error(json.at("error").get<std::string>());
    Placing placing{.notes = texts_of(json.at("notes")),
                    .doubts = texts_of(json.at("doubts")),
                    .why_none = json.at("why_none")};
    for (const Json& each : json.at("edits")) {
      placing.edits.push_back(
          {{{each.at("begin"), each.at("end")}, each.at("text")}, each.at("by"), each.at("doubt")});
    }
    if (Result<void> checked = check_edits(placing.edits, text); !checked) return checked.error();
    return placing;
  } catch (const Json::exception&) {
    return Error("the process that places changes gave an answer that cannot be read");
  }
}

}  // namespace redraft::mcp
