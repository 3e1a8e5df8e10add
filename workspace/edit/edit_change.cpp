#include "workspace/edit/edit_change.h"

#include <utility>

#include "text/strings/trimmed.h"
#include "workspace/apply/change_place.h"
#include "workspace/edit/edit_rename.h"
#include "workspace/edit/edit_run.h"

namespace redraft {
namespace {

// A file that the model goes over as a whole.
constexpr std::size_t kSmallFile = 6000;

std::string instruction_for(const std::string& change) {
  constexpr const char* kAsk =
      "Apply the following change. Lines that it leaves out, or stands \"...\" for, stay as they "
      "are.";
  return kAsk + ("\n<change>\n" + std::string(trimmed(change, "\r\n"))) + "\n</change>";
}

// Where the model is to look: the lines that are like the change, else where the cursor is.
Result<void> choose_places(const PlacedChange& placed, EditRequest& request) {
  request.places.clear();
  if (request.document->text().size() <= kSmallFile) {
    request.scope = EditScope::kFile;
    request.range.reset();
  } else if (placed.places.size() == 1) {
    request.scope = EditScope::kSelection;
    request.range = placed.places.front();
  } else if (!placed.places.empty()) {
    request.scope = EditScope::kPlaces;
    request.range.reset();
    request.places = placed.places;
  } else if (request.range) {
    request.scope = request.range->empty() ? EditScope::kAround : EditScope::kSelection;
  } else {
    return Error("nothing in the file is like the change (" + placed.doubt +
                 "): select the lines that it is for");
  }
  return {};
}

}  // namespace

Result<std::optional<EditResult>> carry_out_without_model(EditRequest& request) {
  if (!request.change.empty()) return carry_out_change(request);
  return carry_out_rename(request);
}

bool is_carried_out_at_once(const EditRequest& request) {
  constexpr std::size_t kDocumentBytes = std::size_t{512} << 10,
                        kChangeBytes = std::size_t{64} << 10;
  return request.document->text().size() <= kDocumentBytes && request.change.size() <= kChangeBytes;
}

Result<std::optional<EditResult>> carry_out_change(EditRequest& request, std::string* doubt) {
  const std::string change = std::exchange(request.change, {});
  const Result<ProposedChange> parsed = parse_change(change, changed_file(*request.document));
  if (!parsed) return parsed.error();
  const PlacedChange placed = place_change(request.document, *parsed);
  if (placed.is_certain()) {
    EditResult result;
    result.placed = true;
    set_edits(request, placed.edits, result);
    if (!placed.edits.empty())
      result.region = {placed.edits.front().range.begin, placed.edits.back().range.end};
    return std::optional(std::move(result));
  }
  if (doubt != nullptr) *doubt = placed.doubt;
  request.instruction = instruction_for(change);
  request.was_change = true;
  if (const Result<void> chosen = choose_places(placed, request); !chosen) return chosen.error();
  return std::optional<EditResult>();
}

}  // namespace redraft
