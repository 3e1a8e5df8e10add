#include "bench/places.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "languages/languages.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_places.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

// The part that contains the line, otherwise the last one before it.
int part_at(const std::vector<EditPart>& parts, int line) {
  int at = 0;
  for (int i = 0; i < std::ssize(parts); ++i) {
    if (parts[static_cast<std::size_t>(i)].lines.first <= line) at = i;
  }
  return at;
}

std::set<int> changed_parts(const std::vector<EditPart>& parts,
                            const std::vector<LineChange>& changes) {
  std::set<int> changed;
  for (const LineChange& change : changes) {
    if (change.old_begin == change.old_end)  // new lines belong to the line above
      changed.insert(part_at(parts, std::max(0, change.old_begin - 1)));
    for (int line = change.old_begin; line < change.old_end; ++line)
      changed.insert(part_at(parts, line));
  }
  return changed;
}

ChosenParts judged(const std::vector<EditPart>& parts, const std::vector<int>& chosen,
                   const std::set<int>& changed) {
  ChosenParts result;
  bool found = false;
  for (const int part : chosen) {
    const LineWindow& lines = parts[static_cast<std::size_t>(part)].lines;
    ++result.chosen;
    result.right += changed.contains(part);
    found = found || changed.contains(part);
    result.lines += lines.last - lines.first;
    if (!found) result.lines_before_first += lines.last - lines.first;
  }
  return result;
}

Result<EditCost> cost_of(LocalEngine& engine, const EditRequest& request,
                         const std::stop_token& stop) {
  engine.clear_caches();
  engine.forget_drafts();
  EditCost cost;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  EditObserver observer;
  observer.on_hunk = [&](const Hunk& hunk) {
    if (hunk.id == 0) cost.first_hunk_seconds = elapsed();
  };
  const Result<EditResult> result = run_edit(engine, request, observer, stop);
  if (!result) return result.error();
  cost.seconds = elapsed();
  cost.hunks = static_cast<int>(result->hunks.size());
  const DecodeStatistics& statistics = result->statistics;
  cost.read_tokens = statistics.prompt_tokens - statistics.cached_prompt_tokens;
  cost.new_tokens = statistics.new_tokens;
  cost.passes = statistics.passes;
  cost.finish_reason = to_string(result->finish_reason);
  return cost;
}

}  // namespace

Result<std::optional<PlacesRecord>> measure_places(LocalEngine& engine, const BenchTask& task,
                                                   const PlacesPlan& plan,
                                                   const std::stop_token& stop) {
  if (!task.file || !task.file->after) return Error("has no whole file before and after");
  const std::string language(language_of(task.file_name));
  const auto document = Document::make(task.file_name, 0, task.file->before, language);
  if (!document) return document.error();
  const auto wanted = Document::make(task.file_name, 1, *task.file->after, language);
  if (!wanted) return wanted.error();
  const EditRegion file = *EditRegion::make(*document, EditScope::kFile, {});
  const EditRegion after = *EditRegion::make(*wanted, EditScope::kFile, {});
  const std::vector<LineChange> changes = diff_lines(file.lines(), after.lines());
  if (std::ssize(file.lines()) < plan.min_lines || std::ssize(changes) < plan.min_hunks)
    return std::optional<PlacesRecord>();
  // People type a line, not a commit message.
  const std::string instruction = task.instruction.substr(0, task.instruction.find('\n'));

  engine.clear_caches();
  FindOptions options{
      .ask_model = AskModel::kNever, .decoder = plan.decoder, .prompt_size = kDefaultPromptSize};
  options.overview_bytes =
      overview_bytes(options.prompt_size, edit_context_bytes(options.prompt_size));
  const Result<FoundParts> by_names = find_parts(engine, file, instruction, options, stop);
  if (!by_names) return by_names.error();
  const std::set<int> changed = changed_parts(by_names->parts, changes);
  PlacesRecord record;
  record.id = task.id;
  record.file_lines = static_cast<int>(file.lines().size());
  record.hunks = static_cast<int>(changes.size());
  record.parts = static_cast<int>(by_names->parts.size());
  record.changed = static_cast<int>(changed.size());
  record.by_names = judged(by_names->parts, by_names->chosen, changed);
  if (plan.ask_model) {
    options.ask_model = AskModel::kAlways;
    const Result<FoundParts> found = find_parts(engine, file, instruction, options, stop);
    if (!found) return found.error();
    record.with_model = judged(found->parts, found->chosen, changed);
    record.shown = static_cast<int>(found->shown.size());
    record.changed_shown = judged(found->parts, found->shown, changed).right;
    record.answered = found->answer.has_value();
    if (found->answer) record.answer = judged(found->parts, *found->answer, changed);
    record.read_tokens = found->statistics.prompt_tokens - found->statistics.cached_prompt_tokens;
    record.new_tokens = found->statistics.new_tokens;
    record.passes = found->statistics.passes;
  }
  if (plan.edit) {
    EditRequest request;
    request.document = *document;
    request.instruction = instruction;
    request.decoder = plan.decoder;
    request.remembering = Remembering::kNothing;
    request.model_renames = true;
    request.prompt_size = options.prompt_size;
    for (const EditScope scope : {EditScope::kPlaces, EditScope::kFile}) {
      request.scope = scope;
      const Result<EditCost> cost = cost_of(engine, request, stop);
      if (!cost && scope == EditScope::kFile) return cost.error();
      if (!cost) continue;  // no place was found
      (scope == EditScope::kPlaces ? record.in_places : record.whole) = *cost;
    }
  }
  return std::optional(record);
}

}  // namespace redraft
