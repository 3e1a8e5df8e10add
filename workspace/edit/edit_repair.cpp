#include "workspace/edit/edit_repair.h"

#include <algorithm>
#include <utility>

#include "support/trace/trace.h"
#include "workspace/apply/change_place.h"
#include "workspace/edit/edit_run.h"
#include "workspace/edit/edit_tidy.h"
#include "workspace/edit/prompt.h"

namespace redraft {
namespace {

// Of one request that is asked again: it takes no notice of hunks before the end.
Result<EditResult> ask_again(Engine& engine, EditRequest request, const EditPlan& plan,
                             const EditResult& first, const EditObserver& observer,
                             const std::stop_token& stop) {
  const Span span("repair");
  request.another = 0;
  const FaultyAnswer faulty{.text = first.output, .fault = reasons_of(first.doubts)};
  Result<EditPrompt> prompt = prompt_of(engine, request, plan.region, plan.context_bytes, &faulty);
  if (!prompt) return prompt.error();
  const Result<int> budget =
      edit_token_budget(*prompt, request.max_new_tokens, engine.context_length());
  if (!budget) return budget.error();
  // It begins where the first answer ended, for whoever shows progress.
  const EditObserver quiet{.on_progress = [&](const EditProgress& progress) {
    if (!observer.on_progress) return;
    DecodeStatistics all = first.statistics;
    all += progress.statistics;
    observer.on_progress({progress.fraction, all, progress.lines});
  }};
  EditRun run(engine, request, plan.context_bytes, quiet, stop);
  return run.whole(plan.region, std::move(*prompt), *budget);
}

bool is_better(const EditResult& second, const EditResult& first) {
  return second.finish_reason == FinishReason::kStop && !second.hunks.empty() &&
         second.doubts.size() < first.doubts.size();
}

void take(EditResult& second, EditResult& result) {
  result.hunks = std::move(second.hunks);
  result.text = std::move(second.text);
  result.doubts = std::move(second.doubts);
  result.tidied = std::move(second.tidied);
}

// What the model wrote, with "# ... existing code ..." in the place of lines, is a change of the
// file like another assistant's.
void put_back_left_out(const EditRequest& request, const EditRegion& region, EditResult& result) {
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
  EditResult whole;
  set_edits(request, placed.edits, whole);
  if (whole.hunks.empty() || whole.doubts.size() >= result.doubts.size()) return;
  whole.tidied = {"the lines that the answer leaves out stay"};
  take(whole, result);
}

void tidy(const EditRequest& request, const EditRegion& region, EditResult& result) {
  const Span span("tidy");
  if (result.hunks.empty()) return;
  put_back_left_out(request, region, result);
  if (!result.tidied.empty()) return;
  std::optional<Tidied> tidy = tidied(region, result.text, !result.doubts.empty());
  if (!tidy) return;
  EditResult tidier;
  set_edits(request, tidy->edits, tidier);
  const bool is_worse = tidier.doubts.size() > result.doubts.size() ||
                        (tidier.breaks_syntax() && !result.breaks_syntax());
  if (is_worse) return;
  tidier.tidied = std::move(tidy->notes);
  take(tidier, result);
}

}  // namespace

void repair(Engine& engine, const EditRequest& request, const EditPlan& plan,
            const EditObserver& observer, const std::stop_token& stop, EditResult& result) {
  if (result.finish_reason != FinishReason::kStop) return;
  const std::size_t n_told = result.hunks.size();
  const std::vector<Doubt> doubts_before = result.doubts;
  tidy(request, plan.region, result);
  bool is_other = !result.tidied.empty();
  if (!result.doubts.empty()) {
    Result<EditResult> second = ask_again(engine, request, plan, result, observer, stop);
    if (second) {
      tidy(request, plan.region, *second);
      const bool taken = is_better(*second, result);
      result.repair = EditRepair{reasons_of(result.doubts), taken, second->statistics};
      if (taken) take(*second, result);
      is_other = is_other || taken;
      if (second->finish_reason == FinishReason::kCancelled)
        result.finish_reason = FinishReason::kCancelled;
    }
  }
  if (!is_other) return;
  result.doubts_before = doubts_before;
  for (Hunk& hunk : result.hunks) hunk.id += static_cast<int>(n_told);
  if (observer.on_replaced) observer.on_replaced(result.hunks);
}

}  // namespace redraft
