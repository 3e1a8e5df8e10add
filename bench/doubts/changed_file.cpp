#include "bench/doubts/changed_file.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "text/strings/lines.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/settled_doubts.h"

namespace redraft {
namespace {

constexpr const char* kUri = "file:///file";

std::size_t n_lines(std::string_view text) { return split_lines(text).size(); }

std::vector<TextEdit> edits_between(const std::shared_ptr<const Document>& before,
                                    const std::shared_ptr<const Document>& after) {
  const EditRegion old_file = *EditRegion::make(before, EditScope::kFile, {});
  const EditRegion new_file = *EditRegion::make(after, EditScope::kFile, {});
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(old_file.lines(), new_file.lines()))
    edits.push_back(old_file.edit(change));
  return edits;
}

// The region's lines within the file; all lines if the task has no region.
void set_lines(const BenchTask& task, ChangedFile& file) {
  file.old_end = n_lines(file.before);
  file.new_end = n_lines(file.after);
  if (!file.is_whole || !task.region) return;
  const std::size_t at = file.before.find(task.region->before);
  if (at == std::string::npos) return;
  const std::size_t first = n_lines(std::string_view(file.before).substr(0, at));
  const std::size_t below =
      file.old_end - std::min(first + n_lines(task.region->before), file.old_end);
  file.old_first = file.new_first = std::min({first, file.old_end, file.new_end});
  file.old_end = std::max(file.old_end - below, file.old_first);
  file.new_end = std::max(file.new_end - std::min(below, file.new_end), file.new_first);
}

}  // namespace

Result<ChangedFile> changed_file(const BenchTask& task) {
  const bool is_whole = task.file && task.file->after;
  const std::optional<EditText>& text = is_whole ? task.file : task.region;
  if (!text || !text->after) return Error("has no text after the change");
  ChangedFile file{.id = task.id,
                   .language = task.language,
                   .instruction = task.instruction,
                   .before = text->before,
                   .after = *text->after,
                   .is_whole = is_whole};
  for (const std::string* const each : {&file.before, &file.after}) {
    const auto document = Document::make(kUri, 0, *each, task.language);
    if (!document) return document.error();
  }
  set_lines(task, file);
  return file;
}

DoubtedText doubted_text(const ChangedFile& file, const std::string& after, DoubtBasis basis) {
  const std::string language = basis == DoubtBasis::kTree ? file.language : std::string();
  const auto before = Document::make(kUri, 0, file.before, language);
  const auto now = Document::make(kUri, 1, after, language);
  DoubtedText text;
  if (!before || !now) return text;
  std::vector<Hunk> hunks;
  for (const TextEdit& edit : edits_between(*before, *now))
    hunks.push_back({.id = static_cast<int>(hunks.size()), .edit = edit, .old_text = {}});
  const LineIndex& lines = (*before)->lines();
  const ByteRange region{lines.start(static_cast<int>(file.old_first)),
                         lines.start(static_cast<int>(file.old_end))};
  text.doubts = doubts_about(**before, file.instruction, hunks, {region});
  settle_doubts(**before, file.instruction, EditKind::kRegion, text.doubts, hunks);
  text.hunks = static_cast<int>(hunks.size());
  text.left = text.hunks - static_cast<int>(certain_edits_of(hunks).size());
  return text;
}

std::vector<TextEdit> edits_to(const ChangedFile& file, const std::string& after) {
  return edits_between(*Document::make(kUri, 0, file.before, file.language),
                       *Document::make(kUri, 1, after, file.language));
}

const char* to_string(Doubt::Kind kind) {
  switch (kind) {
    case Doubt::Kind::kSyntax:
      return "syntax";
    case Doubt::Kind::kLost:
      return "lost";
    case Doubt::Kind::kRenamed:
      return "renamed";
    case Doubt::Kind::kRepeated:
      return "repeated";
    case Doubt::Kind::kLeftOut:
      return "left out";
    case Doubt::Kind::kUncertain:
      return "uncertain";
    case Doubt::Kind::kBranch:
      return "branch";
    case Doubt::Kind::kImport:
      return "import";
    case Doubt::Kind::kRemoved:
      return "removed";
    case Doubt::Kind::kBrackets:
      return "brackets";
    case Doubt::Kind::kPlace:
      return "place";
    case Doubt::Kind::kUndefined:
      return "undefined";
  }
  return "";
}

}  // namespace redraft
