#include "workspace/edit/edit_repair.h"

#include <algorithm>
#include <utility>

#include "support/trace/trace.h"
#include "workspace/apply/change_place.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/edit_problems.h"
#include "workspace/edit/edit_run.h"
#include "workspace/edit/edit_tidy.h"
#include "workspace/edit/prompt.h"
#include "workspace/edit/settled_doubts.h"

namespace redraft {
namespace {

// What is wrong with an edit.
struct Fault {
  std::string text;  // empty: nothing
  std::optional<UnknownName> unknown = {};
  std::string known = {};  // definitions that do not have it
};

Fault fault_of(Engine& engine, const EditRequest& request, const EditPlan& plan,
               const EditResult& result) {
  if (!result.doubts.empty()) return {reasons_of(result.doubts)};
  if (!result.hunks.empty() || request.problems.empty()) return {};
  std::string known;
  for (const ForeignDefinition& definition : definitions_elsewhere(
           request, engine.tokenizer(), names_in_problems(request), plan.context_bytes))
    known += definition.text;
  std::optional<UnknownName> unknown = unknown_name_in_problems(request, known);
  if (!unknown || !plan.region.range().contains(unknown->place)) return {};
  return {"no line has changed, but nothing defines '" + unknown->name + "'", std::move(unknown),
          std::move(known)};
}

// The second answer. Its hunks are not sent before its end. A small model that is told that a name
// is wrong writes the same name again (measured on bench/faults), so in that case the first answer
// continues with another name.
Result<EditResult> ask_again(Engine& engine, const EditRequest& request,
                             const std::string& instruction, const EditPlan& plan,
                             const EditResult& first, const Fault& fault,
                             const EditObserver& observer, const std::stop_token& stop) {
  const Span span("repair");
  const FaultyAnswer faulty{.text = first.output.substr(first.code_begin), .fault = fault.text};
  Result<EditPrompt> prompt = prompt_of(engine, request, instruction, plan.region,
                                        plan.context_bytes, fault.unknown ? nullptr : &faulty);
  if (!prompt) return prompt.error();
  const Result<int> budget =
      edit_token_budget(*prompt, request.max_new_tokens, engine.context_length());
  if (!budget) return budget.error();
  // The progress continues where the first answer ended.
  const EditObserver quiet{.on_progress = [&](const EditProgress& progress) {
    if (!observer.on_progress) return;
    DecodeStatistics all = first.statistics;
    all += progress.statistics;
    observer.on_progress({progress.fraction, all, progress.lines, progress.thinking});
  }};
  EditRun run(engine, request, instruction, plan.context_bytes, quiet, stop);
  if (fault.unknown) run.replace_name({fault.unknown->place, fault.known});
  return run.whole(plan.region, std::move(*prompt), *budget);
}

bool is_better(const EditResult& second, const EditResult& first) {
  return second.finish_reason == FinishReason::kStop && !second.hunks.empty() &&
         (first.hunks.empty() ? second.doubts.empty() : second.doubts.size() < first.doubts.size());
}

void take(EditResult& second, EditResult& result) {
  result.hunks = std::move(second.hunks);
  result.text = std::move(second.text);
  result.doubts = std::move(second.doubts);
  result.tidied = std::move(second.tidied);
}

// What the model wrote, with "# ... existing code ..." in the place of lines, is a change of the
// file like another assistant's.
void put_back_left_out(const std::string& instruction, const EditRegion& region,
                       const OtherFiles& others, EditResult& result) {
  const bool leaves_out = std::ranges::any_of(
      result.doubts, [](const Doubt& doubt) { return doubt.kind == Doubt::Kind::kLeftOut; });
  if (!leaves_out) return;
  const Result<ProposedChange> change =
      parse_change(region.part_of(result.text), changed_file(region.document()));
  if (!change) return;
  const PlacedChange placed = place_change(region.shared_document(), *change);
  const bool stays_within = std::ranges::all_of(
      placed.edits, [&](const TextEdit& edit) { return region.range().contains(edit.range); });
  if (!placed.is_certain() || !stays_within) return;
  EditResult whole =
      result_of(region.document(), instruction, placed.edits, EditKind::kRegion, {}, others);
  if (whole.hunks.empty() || whole.doubts.size() >= result.doubts.size()) return;
  whole.tidied = {"the lines that the answer leaves out stay"};
  take(whole, result);
}

// Whether the lines themselves are doubtful, and not only names in them.
bool doubts_form(const EditResult& result) {
  return std::ranges::any_of(
      result.doubts, [](const Doubt& doubt) { return doubt.kind != Doubt::Kind::kUndefined; });
}

void tidy(const std::string& instruction, const EditRegion& asked, const OtherFiles& others,
          EditResult& result) {
  const Span span("tidy");
  if (result.hunks.empty()) return;
  // An insertion may have grown over its neighbours.
  const EditRegion region =
      result.region == asked.range()
          ? asked
          : *EditRegion::make(asked.shared_document(), EditScope::kSelection, result.region);
  put_back_left_out(instruction, region, others, result);
  if (!result.tidied.empty()) return;
  std::optional<Tidied> tidy = tidied(region, result.text, instruction, doubts_form(result));
  if (!tidy) return;
  EditResult tidier =
      result_of(region.document(), instruction, tidy->edits, EditKind::kRegion, {}, others);
  const bool is_worse = tidier.doubts.size() > result.doubts.size() ||
                        (tidier.breaks_syntax() && !result.breaks_syntax());
  if (is_worse) return;
  tidier.tidied = std::move(tidy->notes);
  take(tidier, result);
}

}  // namespace

void repair(Engine& engine, const EditRequest& request, const std::string& instruction,
            const EditPlan& plan, const EditObserver& observer, const std::stop_token& stop,
            EditResult& result) {
  if (result.finish_reason != FinishReason::kStop) return;
  std::vector<Hunk> hunks_before = result.hunks;
  const std::vector<Doubt> doubts_before = result.doubts;
  const OtherFiles others = other_files(request);
  tidy(instruction, plan.region, others, result);
  bool is_other = !result.tidied.empty();
  if (const Fault fault = fault_of(engine, request, plan, result); !fault.text.empty()) {
    Result<EditResult> second =
        ask_again(engine, request, instruction, plan, result, fault, observer, stop);
    if (second) {
      tidy(instruction, plan.region, others, *second);
      const bool taken = is_better(*second, result);
      result.repair = EditRepair{fault.text, taken, second->statistics};
      if (taken) {
        take(*second, result);
        result.region = second->region;
      }
      is_other = is_other || taken;
      if (second->finish_reason == FinishReason::kCancelled)
        result.finish_reason = FinishReason::kCancelled;
    }
  }
  if (!is_other) return;
  result.doubts_before = doubts_before;
  for (Hunk& hunk : result.hunks) hunk.id += static_cast<int>(hunks_before.size());
  settle_doubts(*request.document, instruction, result.kind, doubts_before, hunks_before);
  result.hunks_before = std::move(hunks_before);
  if (observer.on_replaced) observer.on_replaced(result.hunks);
}

}  // namespace redraft
