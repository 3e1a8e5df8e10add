#include "bench/doubted_change.h"

#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "workspace/documents/diff.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/settled_doubts.h"

namespace redraft {
namespace {

// "12 of 40 (30.0 %)"
std::string share(int part, int all) {
  std::array<char, 60> text{};
  std::snprintf(text.data(), text.size(), "%d of %d (%.1f %%)", part, all,
                all == 0 ? 0.0 : 100.0 * part / all);
  return text.data();
}

}  // namespace

Result<DoubtedChange> doubted_change(const BenchTask& task) {
  if (!task.file || !task.file->after) return Error("has no whole file after the change");
  const auto before = Document::make(task.file_name, 0, task.file->before, task.language);
  if (!before) return before.error();
  const auto after = Document::make(task.file_name, 0, *task.file->after, task.language);
  if (!after) return after.error();
  if ((*before)->syntax() == nullptr) return Error("is of a language without a syntax tree");
  const EditRegion old_file = *EditRegion::make(*before, EditScope::kFile, {});
  const EditRegion new_file = *EditRegion::make(*after, EditScope::kFile, {});
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(old_file.lines(), new_file.lines()))
    edits.push_back(old_file.edit(change));
  EditResult result = result_of(**before, task.instruction, edits);
  settle_doubts(**before, task.instruction, result.kind, result.doubts, result.hunks);
  DoubtedChange change{.id = task.id, .language = task.language, .doubts = result.doubts};
  change.hunks = static_cast<int>(result.hunks.size());
  change.left = change.hunks - static_cast<int>(certain_edits_of(result.hunks).size());
  return change;
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
    case Doubt::Kind::kUndefined:
      return "undefined";
  }
  return "";
}

void DoubtTable::Row::add(const DoubtedChange& change) {
  ++changes;
  doubted += change.is_doubted();
  hunks += change.hunks;
  left += change.left;
}

std::string DoubtTable::Row::text(const std::string& name) const {
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(), "%-14s %22s %24s\n", name.c_str(),
                share(doubted, changes).c_str(), share(left, hunks).c_str());
  return line.data();
}

void DoubtTable::add(const DoubtedChange& change) {
  languages_[change.language].add(change);
  all_.add(change);
  std::set<std::string> kinds;
  for (const Doubt& doubt : change.doubts) kinds.insert(to_string(doubt.kind));
  for (const std::string& kind : kinds) ++kinds_[kind];
}

std::string DoubtTable::text() const {
  std::string text = "language               changes doubted               hunks left\n";
  for (const auto& [language, row] : languages_) text += row.text(language);
  text += all_.text("all") + "\n";
  for (const auto& [kind, count] : kinds_) {
    std::array<char, 80> line{};
    std::snprintf(line.data(), line.size(), "%-14s %7d\n", kind.c_str(), count);
    text += line.data();
  }
  return text;
}

}  // namespace redraft
