#include "workspace/edit/edit_session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "text/strings/blank_text.h"
#include "workspace/edit/edit_change.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_rename.h"
#include "workspace/edit/edit_repair.h"
#include "workspace/edit/edit_run.h"
#include "workspace/edit/edit_windows.h"
#include "workspace/edit/prompt.h"

namespace redraft {
namespace {

// An instruction, and what comes after it.
constexpr int kInstructionTokens = 64;
// Of the parts that are left, so many are told.
constexpr std::size_t kMaxOthers = 50;

constexpr const char* kNoOtherTry =
    "another try is for an edit of one region: select the lines to edit";

constexpr const char* kNothingFound =
    "found no part of the file that the instruction concerns: name the function or class, select "
    "the lines to edit, or select all of them (scope 'whole')";

bool is_file(EditScope scope) { return scope == EditScope::kFile || scope == EditScope::kPlaces; }

// Of an edit that was cancelled before the model wrote anything.
EditResult unchanged(const EditRequest& request) {
  EditResult result;
  result.text = request.document->text();
  result.finish_reason = FinishReason::kCancelled;
  return result;
}

int unread_tokens(Engine& engine, const EditPrompt& prompt) {
  return static_cast<int>(prompt.tokens.size()) - engine.known_tokens(prompt.tokens);
}

}  // namespace

std::vector<TextEdit> edits_of(const std::vector<Hunk>& hunks) {
  std::vector<TextEdit> edits;
  for (const Hunk& hunk : hunks) edits.push_back(hunk.edit);
  return edits;
}

Result<void> check_request(const EditRequest& request) {
  if (!request.document) return Error("an edit needs a document");
  if (is_blank_text(request.instruction, kAnyBlank) && request.change.empty())
    return Error("the instruction is empty: say what to change");
  if (request.another > 0 && (!request.places.empty() || !request.change.empty()))
    return Error(kNoOtherTry);
  for (const ByteRange& place : request.places) {
    const Result<void> checked = EditRegion::check(*request.document, EditScope::kSelection, place);
    if (!checked) return checked;
  }
  if (Result<void> checked = check_new_names(request); !checked) return checked;
  return EditRegion::check(*request.document, request.scope, request.range);
}

bool edits_places(Engine& engine, const EditRequest& request) {
  if (request.scope != EditScope::kPlaces) return false;
  return !request.places.empty() ||
         request.document->text().size() > edit_region_bytes(engine.cost_curve());
}

Result<EditRegion> edit_region(Engine& engine, const EditRequest& request) {
  const bool is_bounded = request.scope == EditScope::kAround || request.scope == EditScope::kAuto;
  const std::size_t max_bytes =
      is_bounded ? edit_region_bytes(engine.cost_curve()) : kMaxDocumentBytes;
  return EditRegion::make(request.document, request.scope, request.range, max_bytes);
}

Result<EditPlan> plan_edit(Engine& engine, const EditRequest& request) {
  Result<EditRegion> region = edit_region(engine, request);
  if (!region) return region.error();
  const CostCurve& cost = engine.cost_curve();
  const std::size_t asked_now = edit_context_bytes(cost, kReadingSeconds);
  const std::size_t bytes = request.context_bytes.value_or(asked_now);
  Result<EditPrompt> prompt = prompt_of(engine, request, *region, bytes);
  if (!prompt) return prompt.error();
  if (request.announced && !request.context_bytes) {
    const std::size_t more_bytes = edit_context_bytes(cost, kReadAheadSeconds);
    Result<EditPrompt> more = prompt_of(engine, request, *region, more_bytes);
    const int unread = unread_tokens(engine, *prompt);
    const int affordable = cost.tokens_read_in(kReadingSeconds, unread);
    if (more && unread_tokens(engine, *more) <= std::max(affordable, kInstructionTokens))
      return EditPlan{std::move(*region), std::move(*more), more_bytes};
  }
  return EditPlan{std::move(*region), std::move(*prompt), bytes};
}

// The larger prompt last: what is read of it in vain, if the request comes early, is lost.
Result<void> read_edit_ahead(Engine& engine, const EditRequest& request, double seconds,
                             const std::function<void(double)>& on_read,
                             const std::stop_token& stop) {
  EditRequest any = request;
  any.instruction = "-";
  const Result<EditRegion> region = edit_region(engine, any);
  if (!region) return region.error();
  if (edits_places(engine, request)) {  // which ones, the instruction says
    on_read(1);
    return {};
  }
  const CostCurve& cost = engine.cost_curve();
  std::vector<std::vector<TokenId>> beginnings;
  std::vector<int> unread;
  for (const double context_seconds : {kReadingSeconds, kReadAheadSeconds}) {
    Result<EditPrompt> prompt =
        prompt_of(engine, any, *region, edit_context_bytes(cost, context_seconds));
    if (!prompt) return prompt.error();
    prompt->tokens.resize(static_cast<std::size_t>(prompt->before_instruction));
    if (!beginnings.empty() && beginnings.back() == prompt->tokens) continue;
    unread.push_back(unread_tokens(engine, *prompt));
    beginnings.push_back(std::move(prompt->tokens));
  }
  int limit = cost.tokens_read_in(seconds, engine.context_length());
  const int total = std::min(limit, std::accumulate(unread.begin(), unread.end(), 0));
  int done = 0;
  for (std::size_t i = 0; i < beginnings.size() && limit > 0; ++i) {
    const int size = static_cast<int>(beginnings[i].size());
    const auto on_chunk = [&](int known) {
      const int read = done + unread[i] - (size - known);
      on_read(std::clamp(static_cast<double>(read) / std::max(total, 1), 0.0, 1.0));
    };
    if (!engine.read_ahead(beginnings[i], limit, on_chunk, stop)) return {};
    done += unread[i];
    limit -= unread[i];
  }
  on_read(1);
  return {};
}

namespace {

// Those that were given, as whole lines; places that share a line are one.
Result<ChosenPlaces> given_places(const EditRequest& request) {
  std::vector<ByteRange> given = request.places;
  std::ranges::sort(given, {}, &ByteRange::begin);
  ChosenPlaces places;
  for (const ByteRange& range : given) {
    const Result<EditRegion> region =
        EditRegion::make(request.document, EditScope::kSelection, range);
    if (!region) return region.error();
    const ByteRange lines = region->range();
    if (!places.chosen.empty() && lines.begin < places.chosen.back().range.end) {
      ByteRange& last = places.chosen.back().range;
      last.end = std::max(last.end, lines.end);
    } else {
      places.chosen.push_back({lines, name_of_lines(*region)});
    }
  }
  places.n_parts = static_cast<int>(places.chosen.size());
  return places;
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

Result<EditResult> edit_places(Engine& engine, const EditRequest& request,
                               const EditObserver& observer, const std::stop_token& stop) {
  const CostCurve& cost = engine.cost_curve();
  const std::size_t context_bytes =
      request.context_bytes.value_or(edit_context_bytes(cost, kReadingSeconds));
  EditRun run(engine, request, context_bytes, observer, stop);
  ChosenPlaces places;
  if (request.places.empty()) {
    Result<EditRegion> file = edit_region(engine, request);
    if (!file) return file.error();
    const FindOptions options{.decoder = request.decoder,
                              .overview_bytes = overview_bytes(engine, context_bytes),
                              .on_progress = [&](const DecodeStatistics& statistics) {
                                if (observer.on_progress) observer.on_progress({0, statistics, {}});
                              }};
    const Result<FoundParts> found = find_parts(engine, *file, request.instruction, options, stop);
    if (!found) return found.error();
    if (found->cancelled || stop.stop_requested()) {
      EditResult result = unchanged(request);
      result.statistics = found->statistics;
      return result;
    }
    run.add(found->statistics);
    places = chosen_places(*file, *found, edit_region_bytes(cost));
    if (places.chosen.empty()) return Error(kNothingFound);
  } else {
    Result<ChosenPlaces> given = given_places(request);
    if (!given) return given.error();
    places = std::move(*given);
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

Result<EditResult> edit_by_change(Engine& engine, EditRequest request, const EditObserver& observer,
                                  const std::stop_token& stop) {
  Result<std::optional<EditResult>> placed = carry_out_change(request);
  if (!placed) return placed.error();
  if (!*placed) return run_edit(engine, request, observer, stop);
  if (observer.on_hunk) std::ranges::for_each((*placed)->hunks, observer.on_hunk);
  return std::move(**placed);
}

}  // namespace

Result<EditResult> run_edit(Engine& engine, const EditRequest& request,
                            const EditObserver& observer, std::stop_token stop) {
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  if (stop.stop_requested()) return unchanged(request);  // loading the model may have taken long
  if (!request.change.empty()) return edit_by_change(engine, request, observer, stop);
  if (edits_places(engine, request)) {
    if (request.another > 0) return Error(kNoOtherTry);
    return edit_places(engine, request, observer, stop);
  }
  Result<EditPlan> plan = plan_edit(engine, request);
  if (!plan) return plan.error();
  if (request.scope == EditScope::kPlaces && observer.on_places)
    observer.on_places(
        {.chosen = {{plan->region.range(), {}}}, .others = {}, .n_parts = 1, .whole_file = true});
  Result<int> budget =
      edit_token_budget(plan->prompt, request.max_new_tokens, engine.context_length());
  if (!budget) {
    std::optional<EditWindows> windows;
    if (is_file(request.scope))
      windows =
          edit_windows(plan->region, plan->prompt, engine.tokenizer(), engine.context_length());
    if (!windows) return budget.error();
    if (request.another > 0) return Error(kNoOtherTry);
    const std::size_t context_bytes = std::min(windows->context_bytes, plan->context_bytes);
    EditRun run(engine, request, context_bytes, observer, stop);
    return run.in_parts(windows->regions, {windows->tokens.begin(), windows->tokens.end()});
  }
  if (stop.stop_requested()) return unchanged(request);
  EditRun run(engine, request, plan->context_bytes, observer, stop);
  Result<EditResult> result = run.whole(plan->region, std::move(plan->prompt), *budget);
  if (result && request.repairs) repair(engine, request, *plan, observer, stop, *result);
  if (result) result->has_other_tries = !request.was_change;
  return result;
}

}  // namespace redraft
