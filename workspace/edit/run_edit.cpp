#include "workspace/edit/run_edit.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "workspace/edit/carried_out.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/edit_places.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/edit_repair.h"
#include "workspace/edit/edit_run.h"
#include "workspace/edit/settled_doubts.h"

namespace redraft {
namespace {

// An observer is told at most this many of the parts that stay as they are.
constexpr std::size_t kMaxOthers = 50;

constexpr const char* kNothingFound =
    "found no part of the file that the instruction concerns: name the function or class, select "
    "the lines to edit, or select all of them (scope 'whole')";

// The result of an edit that was cancelled before the model wrote anything.
EditResult unchanged(const EditRequest& request) {
  EditResult result;
  result.text = request.document->text();
  result.finish_reason = FinishReason::kCancelled;
  return result;
}

ChosenPlaces chosen_places(const EditRegion& file, const FoundParts& found, std::size_t max_bytes) {
  ChosenPlaces places{.chosen = places_of(file, found.parts, found.chosen, max_bytes),
                      .others = {},
                      .n_parts = static_cast<int>(found.parts.size())};
  for (const RankedPart& ranked : found.ranked) {
    if (places.others.size() == kMaxOthers) break;
    if (std::ranges::binary_search(found.chosen, ranked.part)) continue;
    places.others.push_back(places_of(file, found.parts, {ranked.part}, max_bytes).front());
  }
  return places;
}

// `instruction` is what the model carried out.
void settle(const EditRequest& request, const std::string& instruction, EditResult& result) {
  settle_doubts(*request.document, instruction, result.kind, result.doubts, result.hunks);
}

EditResult changed(const EditRequest& request, const CertainChange& change) {
  EditResult result = result_of(*request.document, request.instruction, change.edits,
                                EditKind::kCertainChange, change.origins, other_files(request));
  result.tidied = change.notes;
  result.region = region_of(change);
  for (std::size_t i = 0; i < change.doubts.size(); ++i) {
    if (!change.doubts[i].empty())
      result.doubts.push_back({Doubt::Kind::kPlace, change.doubts[i], {static_cast<int>(i)}});
  }
  settle(request, request.instruction, result);
  return result;
}

EditResult renamed(const EditRequest& request, const Rename& rename) {
  const std::vector<ChangeOrigin> origins(rename.edits.size(), {.decided_by = DecidedBy::kTree});
  EditResult result =
      result_of(*request.document, request.instruction, rename.edits, EditKind::kRename, origins);
  result.region = region_of(rename);
  result.doubts.insert(result.doubts.end(), rename.doubts.begin(), rename.doubts.end());
  settle(request, request.instruction, result);
  return result;
}

// What the model is asked to do; null if it is not asked.
const std::string* instruction_of(const EditDecision& decision) {
  struct InstructionOf {
    const std::string* operator()(const CertainChange&) const { return nullptr; }
    const std::string* operator()(const Rename&) const { return nullptr; }
    const std::string* operator()(const RegionEdit& edit) const { return &edit.instruction; }
    const std::string* operator()(const PlacesEdit& edit) const { return &edit.instruction; }
    const std::string* operator()(const WindowsEdit& edit) const { return &edit.instruction; }
    const std::string* operator()(const RetryEdit& retry) const { return &retry.edit.instruction; }
  };
  return std::visit(InstructionOf(), decision);
}

// Carries out each alternative.
struct Execution {
  Engine& engine;
  const EditRequest& request;
  const EditObserver& observer;
  const std::stop_token& stop;

  Result<EditResult> operator()(const CertainChange& change) const {
    return tell_hunks(changed(request, change));
  }
  Result<EditResult> operator()(const Rename& rename) const {
    return tell_hunks(renamed(request, rename));
  }

  Result<EditResult> operator()(const RegionEdit& edit) const { return write_region(edit, 0); }

  Result<EditResult> operator()(const RetryEdit& retry) const {
    return write_region(retry.edit, retry.retry_index);
  }

  Result<EditResult> operator()(const WindowsEdit& edit) const {
    if (edit.is_small_file) {
      const EditRegion file = *EditRegion::make(request.document, EditScope::kFile, {});
      tell_whole_file(file);
    }
    const EditWindows& windows = edit.windows;
    EditRun run(engine, request, edit.instruction, windows.context_bytes, observer, stop);
    return run.in_parts(windows.regions, {windows.tokens.begin(), windows.tokens.end()});
  }

  Result<EditResult> operator()(const PlacesEdit& edit) const {
    const PromptSize size = engine.prompt_size(request.prompt_size);
    const std::size_t context_bytes = context_bytes_of(engine, request);
    EditRun run(engine, request, edit.instruction, context_bytes, observer, stop);
    ChosenPlaces places = edit.given;
    if (places.chosen.empty()) {
      const Result<FoundParts> found = find(edit, size, context_bytes);
      if (!found) return found.error();
      if (found->cancelled || stop.stop_requested()) {
        EditResult result = unchanged(request);
        result.statistics = found->statistics;
        return result;
      }
      run.add(found->statistics);
      places = chosen_places(edit.file, *found, edit_region_bytes(size));
      if (places.chosen.empty()) return Error(kNothingFound);
    }
    if (observer.on_places) observer.on_places(places);
    std::vector<EditRegion> parts;
    std::vector<double> work;
    for (const EditPlace& place : places.chosen) {
      parts.push_back(*EditRegion::make(request.document, EditScope::kSelection, place.range));
      work.push_back(static_cast<double>(place.range.size()) + 1);
    }
    return run.in_parts(parts, work);
  }

  Result<FoundParts> find(const PlacesEdit& edit, PromptSize size,
                          std::size_t context_bytes) const {
    const FindOptions options{.decoder = request.decoder,
                              .prompt_size = size,
                              .overview_bytes = overview_bytes(size, context_bytes),
                              .on_progress = [&](const DecodeStatistics& statistics) {
                                if (observer.on_progress)
                                  observer.on_progress({0, statistics, {}, false});
                              }};
    return find_parts(engine, edit.file, edit.instruction, options, stop);
  }

  Result<EditResult> write_region(const RegionEdit& edit, int retry_index) const {
    if (edit.is_small_file) tell_whole_file(edit.region);
    Result<EditPlan> plan = plan_region(engine, request, edit.instruction, edit.region);
    if (!plan) return plan.error();
    const Result<int> budget =
        edit_token_budget(plan->prompt, request.max_new_tokens, engine.context_length());
    if (!budget) return budget.error();
    if (stop.stop_requested()) return unchanged(request);
    EditRun run(engine, request, edit.instruction, plan->context_bytes, observer, stop);
    if (retry_index > 0) run.retry(retry_index);
    Result<EditResult> result = run.whole(plan->region, std::move(plan->prompt), *budget);
    if (!result) return result;
    if (request.repairs) repair(engine, request, edit.instruction, *plan, observer, stop, *result);
    result->has_retries = edit.has_retries;
    return result;
  }

  void tell_whole_file(const EditRegion& file) const {
    if (!observer.on_places) return;
    observer.on_places(
        {.chosen = {{file.range(), {}}}, .others = {}, .n_parts = 1, .whole_file = true});
  }

  EditResult tell_hunks(EditResult result) const {
    if (observer.on_hunk) std::ranges::for_each(result.hunks, observer.on_hunk);
    return result;
  }
};

}  // namespace

std::optional<EditResult> carry_out_without_model(const EditRequest& request,
                                                  const FirstDecision& decision) {
  if (const auto* change = std::get_if<CertainChange>(&decision)) return changed(request, *change);
  if (const auto* rename = std::get_if<Rename>(&decision)) return renamed(request, *rename);
  return std::nullopt;
}

Result<EditResult> carry_out(Engine& engine, const EditRequest& request,
                             const EditDecision& decision, const EditObserver& observer,
                             const std::stop_token& stop) {
  Result<EditResult> result = std::visit(Execution{engine, request, observer, stop}, decision);
  if (!result) return result;
  result->kind = kind_of(decision);
  if (!result->is_placed() && !result->is_renamed())
    result->prompt_size = engine.prompt_size(request.prompt_size);
  if (const std::string* instruction = instruction_of(decision))
    settle(request, *instruction, *result);
  if (result->hunks.empty() && result->finish_reason != FinishReason::kCancelled)
    result->why_carried_out = why_carried_out(*request.document, request.instruction);
  return result;
}

Result<EditResult> run_task(Engine& engine, const EditRequest& request, const ModelTask& task,
                            const EditObserver& observer, const std::stop_token& stop) {
  if (stop.stop_requested()) return unchanged(request);  // loading the model may have taken long
  const Result<EditDecision> decision = decide(request, task, limits_of(engine, request));
  if (!decision) return decision.error();
  return carry_out(engine, request, *decision, observer, stop);
}

Result<EditResult> run_edit(Engine& engine, const EditRequest& request,
                            const EditObserver& observer, const std::stop_token& stop) {
  if (const Result<void> checked = check_request(request); !checked) return checked.error();
  if (stop.stop_requested()) return unchanged(request);
  const Result<EditDecision> decision = decide(request, limits_of(engine, request));
  if (!decision) return decision.error();
  return carry_out(engine, request, *decision, observer, stop);
}

}  // namespace redraft
