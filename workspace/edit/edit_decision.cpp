#include "workspace/edit/edit_decision.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "text/strings/blank_text.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/change_place.h"
#include "workspace/documents/cursor_region.h"
#include "workspace/edit/edit_places.h"
#include "workspace/edit/edit_rename.h"
#include "workspace/edit/insertion.h"
#include "workspace/edit/meant_region.h"
#include "workspace/edit/region_to_add_to.h"
#include "workspace/edit/rename_check.h"

namespace redraft {
namespace {

// The model gets a file of at most this many bytes as a whole if the place of a change is doubtful.
constexpr std::size_t kSmallFileBytes = 6000;

constexpr const char* kNoRetry =
    "only an edit of one region can be retried: select the lines to edit";

template <EditKind kKind, typename Alternative>
constexpr bool kMatches =
    std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(kKind), EditDecision>,
                   Alternative>;
static_assert(kMatches<EditKind::kCertainChange, CertainChange> &&
              kMatches<EditKind::kRename, Rename> && kMatches<EditKind::kRegion, RegionEdit> &&
              kMatches<EditKind::kPlaces, PlacesEdit> &&
              kMatches<EditKind::kWindows, WindowsEdit> && kMatches<EditKind::kRetry, RetryEdit>);

bool is_file(EditScope scope) { return scope == EditScope::kFile || scope == EditScope::kPlaces; }

std::string instruction_for(const std::string& change) {
  constexpr const char* kAsk =
      "Apply the following change. Lines that it leaves out, or stands \"...\" for, stay as they "
      "are.";
  return kAsk + ("\n<change>\n" + std::string(trimmed(change, "\r\n"))) + "\n</change>";
}

// The model looks at the lines that are like the change or, without any, at the client's range.
Result<ModelTask> task_for_change(const EditRequest& request, const PlacedChange& placed) {
  ModelTask task{.instruction = instruction_for(request.change),
                 .change_doubt = placed.doubt,
                 .mismatches = placed.mismatches};
  if (request.document->text().size() <= kSmallFileBytes) {
    task.scope = EditScope::kFile;
  } else if (placed.places.size() == 1) {
    task.scope = EditScope::kSelection;
    task.range = placed.places.front();
  } else if (!placed.places.empty()) {
    task.scope = EditScope::kPlaces;
    task.places = placed.places;
  } else if (request.range) {
    task.scope = request.range->empty() ? EditScope::kAround : EditScope::kSelection;
    task.range = request.range;
  } else {
    return Error("nothing in the file is like the change (" + placed.doubt +
                 "): select the lines that it is for");
  }
  return task;
}

Result<FirstDecision> decide_change(const EditRequest& request) {
  const Result<ProposedChange> parsed =
      parse_change(request.change, changed_file(*request.document));
  if (!parsed) return parsed.error();
  PlacedChange placed = place_change(request.document, *parsed);
  if (placed.is_placed()) {
    return FirstDecision(CertainChange{std::move(placed.edits), std::move(placed.origins),
                                       std::move(placed.doubts), std::move(placed.notes)});
  }
  Result<ModelTask> task = task_for_change(request, placed);
  if (!task) return task.error();
  return FirstDecision(std::move(*task));
}

ByteRange range_around(const std::vector<TextEdit>& edits) {
  return edits.empty() ? ByteRange{} : ByteRange{edits.front().range.begin, edits.back().range.end};
}

// The given places as whole lines; places that share a line become one.
Result<ChosenPlaces> given_places(const EditRequest& request, const ModelTask& task) {
  std::vector<ByteRange> given = task.places;
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

// The cursor that a region was made of, as redraft makes it without an instruction. Nothing: the
// user selected lines, or took another region.
std::optional<std::size_t> cursor_of(const EditRequest& request, EditScope scope,
                                     const std::optional<ByteRange>& range,
                                     std::size_t region_bytes) {
  const bool is_around = scope == EditScope::kAround || scope == EditScope::kAuto;
  if (is_around && range && range->empty()) return range->begin;
  if (scope != EditScope::kSelection || !request.cursor || !range || range->empty())
    return std::nullopt;
  const ByteRange cursor{*request.cursor, *request.cursor};
  const bool is_default =
      regions_at(*request.document, cursor, region_bytes).region().range == *range;
  return is_default ? request.cursor : std::nullopt;
}

Result<EditRegion> make_region(const EditRequest& request, const ModelTask& task,
                               std::size_t region_bytes) {
  const bool is_bounded = task.scope == EditScope::kAround || task.scope == EditScope::kAuto;
  Result<EditRegion> region = EditRegion::make(request.document, task.scope, task.range,
                                               is_bounded ? region_bytes : kMaxDocumentBytes);
  if (!region || region->whole_file()) return region;
  const std::optional<std::size_t> cursor =
      cursor_of(request, task.scope, task.range, region_bytes);
  if (!cursor) return region;
  // A blank line is the place where the user wants something added.
  std::optional<ByteRange> meant;
  if (!is_insertion(*region)) {
    meant = region_to_add_to(*request.document, *cursor, region->range(), task.instruction,
                             region_bytes);
  } else if (is_bounded) {
    meant = lines_meant_beside(*request.document, *cursor, task.instruction, region_bytes);
  }
  return meant ? EditRegion::make(request.document, EditScope::kSelection, meant) : region;
}

}  // namespace

EditKind kind_of(const EditDecision& decision) { return static_cast<EditKind>(decision.index()); }

ByteRange region_of(const EditDecision& decision) {
  struct RegionOf {
    ByteRange operator()(const CertainChange& change) const { return range_around(change.edits); }
    ByteRange operator()(const Rename& rename) const { return range_around(rename.edits); }
    ByteRange operator()(const RegionEdit& edit) const { return edit.region.range(); }
    ByteRange operator()(const PlacesEdit& edit) const { return edit.file.range(); }
    ByteRange operator()(const WindowsEdit& edit) const {
      const std::vector<EditRegion>& regions = edit.windows.regions;
      return {regions.front().range().begin, regions.back().range().end};
    }
    ByteRange operator()(const RetryEdit& retry) const { return retry.edit.region.range(); }
  };
  return std::visit(RegionOf(), decision);
}

Result<void> check_request(const EditRequest& request) {
  if (!request.document) return Error("an edit needs a document");
  if (is_blank_text(request.instruction, kAnyBlank) && request.change.empty())
    return Error("the instruction is empty: say what to change");
  if (request.retry_index > 0 && (!request.places.empty() || !request.change.empty()))
    return Error(kNoRetry);
  for (const ByteRange& place : request.places) {
    Result<void> checked = EditRegion::check(*request.document, EditScope::kSelection, place);
    if (!checked) return checked;
  }
  return EditRegion::check(*request.document, request.scope, request.range);
}

Result<FirstDecision> decide_without_model(const EditRequest& request) {
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  if (!request.change.empty()) return decide_change(request);
  if (Result<void> checked = check_names(request); !checked) return checked.error();
  if (request.retry_index == 0 && !request.model_renames) {
    if (std::optional<Rename> rename = find_rename(request))
      return FirstDecision(*std::move(rename));
  }
  return FirstDecision(task_of(request));
}

Result<EditDecision> decide(const EditRequest& request, const ModelTask& task,
                            const EditLimits& limits) {
  Result<EditRegion> region = make_region(request, task, limits.region_bytes);
  if (!region) return region.error();
  const bool is_large = request.document->text().size() > limits.region_bytes;
  const bool is_retry = task.retry_index > 0;
  if (task.scope == EditScope::kPlaces && (is_large || !task.places.empty())) {
    if (is_retry) return Error(kNoRetry);
    Result<ChosenPlaces> given = given_places(request, task);
    if (!given) return given.error();
    return EditDecision(PlacesEdit{task.instruction, *std::move(region), *std::move(given)});
  }
  const bool is_small_file = task.scope == EditScope::kPlaces;
  if (is_file(task.scope) && limits.windows) {
    Result<std::optional<EditWindows>> windows = limits.windows(*region, task.instruction);
    if (!windows) return windows.error();
    if (*windows) {
      if (is_retry) return Error(kNoRetry);
      return EditDecision(WindowsEdit{task.instruction, **std::move(windows), is_small_file});
    }
  }
  RegionEdit edit{.instruction = task.instruction,
                  .region = *std::move(region),
                  .is_small_file = is_small_file,
                  .has_retries = task.change_doubt.empty()};
  if (is_retry) return EditDecision(RetryEdit{std::move(edit), task.retry_index});
  return EditDecision(std::move(edit));
}

Result<EditDecision> decide(const EditRequest& request, const EditLimits& limits) {
  Result<FirstDecision> first = decide_without_model(request);
  if (!first) return first.error();
  if (auto* change = std::get_if<CertainChange>(&*first)) return EditDecision(std::move(*change));
  if (auto* rename = std::get_if<Rename>(&*first)) return EditDecision(std::move(*rename));
  return decide(request, std::get<ModelTask>(*first), limits);
}

bool is_decided_quickly(const EditRequest& request) {
  constexpr std::size_t kDocumentBytes = std::size_t{512} << 10,
                        kChangeBytes = std::size_t{64} << 10;
  return request.document->text().size() <= kDocumentBytes && request.change.size() <= kChangeBytes;
}

ModelTask task_of(const EditRequest& request) {
  return {.instruction = request.instruction,
          .scope = request.scope,
          .range = request.range,
          .places = request.places,
          .retry_index = request.retry_index};
}

Result<EditRegion> requested_region(const EditRequest& request, std::size_t region_bytes) {
  return make_region(request, task_of(request), region_bytes);
}

}  // namespace redraft
