// What becomes of an edit request
//
// Every client asks decide() and carries out what it returns (run_edit.h). There are six answers:
//
//   CertainChange   a change of another assistant whose place is certain     no model
//   Rename          an instruction that renames something the syntax tree
//                   resolves                                                 no model
//   RegionEdit      the model rewrites the lines of one region
//   PlacesEdit      the model rewrites parts of a large file
//   WindowsEdit     the model rewrites a file that does not fit the context, part by part
//   RetryEdit       the model writes another answer for one region
//
// The decision has two steps, because a client must not load a model for the first two answers.
// decide_without_model() returns one of them, or the task for the model. decide() with that task
// and the limits of the engine returns one of the other four.
//
// Deciding parses the document and has no other side effects.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "support/result.h"
#include "workspace/apply/change_mismatch.h"
#include "workspace/documents/change_origin.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"
#include "workspace/edit/edit_windows.h"

namespace redraft {

struct CertainChange {
  std::vector<TextEdit> edits;          // ascending; empty: the document has the change already
  std::vector<ChangeOrigin> origins;    // [edit]
  std::vector<std::string> doubts;      // [edit]: why its place is doubtful; empty: it is not
  std::vector<std::string> notes = {};  // parts that are left out, for people
};

struct Rename {
  std::vector<TextEdit> edits;  // ascending, not empty
  std::vector<Doubt> doubts;    // uses that may mean something else, by the edits' indices
};

// What the model does, before the limits of the engine are known.
struct ModelTask {
  std::string instruction;  // the request's, or one that was made from its change
  EditScope scope = EditScope::kFile;
  std::optional<ByteRange> range = {};
  std::vector<ByteRange> places = {};  // given by the client, or like the change
  int retry_index = 0;
  // Why the place of the request's change is not certain, for people; empty: there is no change.
  std::string change_doubt = {};
  std::vector<Mismatch> mismatches = {};  // of the parts of that change that have no place
};

struct RegionEdit {
  std::string instruction;
  EditRegion region;
  bool is_small_file = false;  // EditScope::kPlaces, but the file is edited as a whole
  bool has_retries = true;     // the client may ask for a RetryEdit next
};

struct PlacesEdit {
  std::string instruction;
  EditRegion file;
  // The places that the client or its change names, in file order and disjoint. Empty: the words of
  // the instruction, or the model, choose them.
  ChosenPlaces given = {};
};

struct WindowsEdit {
  std::string instruction;
  EditWindows windows;
  bool is_small_file = false;  // as in RegionEdit
};

struct RetryEdit {
  RegionEdit edit;
  int retry_index = 1;
};

// In the order of EditKind.
using EditDecision =
    std::variant<CertainChange, Rename, RegionEdit, PlacesEdit, WindowsEdit, RetryEdit>;

using FirstDecision = std::variant<CertainChange, Rename, ModelTask>;

// What the choice of a region depends on besides the request. limits_of() (edit_plan.h) has those
// of an engine.
struct EditLimits {
  // The largest region around a cursor, and the largest file that kPlaces edits as a whole.
  std::size_t region_bytes = max_edit_region_bytes();
  // How to divide a file that does not fit the context together with its answer; nothing: it fits.
  // An error if even its parts would not fit. Empty: every file fits.
  std::function<Result<std::optional<EditWindows>>(const EditRegion& file,
                                                   const std::string& instruction)>
      windows = {};
};

EditKind kind_of(const EditDecision& decision);

// The part of the document that the decision may change; with PlacesEdit, the whole file.
ByteRange region_of(const EditDecision& decision);

// Errors that need neither the model nor the syntax tree: a blank instruction, a range outside the
// document, a retry of something other than one region.
Result<void> check_request(const EditRequest& request);

// The first step. Errors: those of check_request() and, for a rename, of check_names(); a change
// that cannot be read, or for which nothing says where it belongs.
Result<FirstDecision> decide_without_model(const EditRequest& request);

// The second step. Errors: no such region, a retry of something other than one region, and those of
// EditLimits::windows.
Result<EditDecision> decide(const EditRequest& request, const ModelTask& task,
                            const EditLimits& limits);

// Both steps.
Result<EditDecision> decide(const EditRequest& request, const EditLimits& limits);

// Whether the first step is quick enough for a thread that others wait for: neither the document
// nor the change is large.
bool is_decided_quickly(const EditRequest& request);

// The task of a request whose instruction the model carries out.
ModelTask task_of(const EditRequest& request);

// The lines that the request's scope and range mean. May parse the document.
Result<EditRegion> requested_region(const EditRequest& request, std::size_t region_bytes);

}  // namespace redraft
