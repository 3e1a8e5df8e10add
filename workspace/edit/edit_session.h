#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "indexing/store/datastore.h"
#include "indexing/store/index_snapshot.h"
#include "support/result.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_doubts.h"
#include "workspace/edit/edit_places.h"
#include "workspace/edit/prompt.h"
#include "workspace/engine/engine.h"

namespace redraft {

// What a checker reports.
struct EditProblem {
  ByteRange range;  // of the document
  std::string message;
};

struct EditRequest {
  std::shared_ptr<const Document> document;
  std::string instruction;  // not blank, unless there is a change
  // What another assistant wrote to be put into the document, see parse_change(); empty: nothing.
  // Then the range only says where it goes if nothing else does.
  std::string change = {};
  bool was_change = false;  // the instruction was made of one, see carry_out_change()
  // Texts that drafts may come from: what was removed lately, the other documents that are open,
  // the most recent first.
  std::vector<std::shared_ptr<const Document>> beside = {};
  // What decoders that retrieve look things up in; null: nothing.
  std::shared_ptr<const Datastore> repository = {};
  std::shared_ptr<const Datastore> common = {};  // code of other projects
  // The selection, or the cursor; needed unless the scope is the file or places in it. The model
  // rewrites the whole lines that the scope touches: within a line there is no telling what belongs
  // to it once the line has changed. Other lines stay as they are.
  std::optional<ByteRange> range;
  // Where the cursor is, if the range is not what is selected but the region around it.
  std::optional<std::size_t> cursor = {};
  EditScope scope = EditScope::kFile;
  // With kPlaces: the places to edit, each the whole lines that it touches. Empty: they are found.
  std::vector<ByteRange> places = {};
  // What the instruction is about: the model is shown the definitions of names in them, too.
  std::vector<EditProblem> problems = {};
  // Where those in other files are looked up; null: nowhere.
  std::shared_ptr<const IndexSnapshot> definitions = {};
  DecoderName decoder;
  int max_new_tokens = 0;  // 0: as many as the scope's size suggests and the context holds
  Remembering remembering = Remembering::kShared;
  // What is shown of the file around the region at most; nothing: what the machine reads in a
  // second.
  std::optional<std::size_t> context_bytes = {};
  // read_edit_ahead() was called for it: more is shown, if it was read by now.
  bool announced = false;
  // The how manieth other try of an edit of one region; 0: the first answer. It has that answer's
  // tokens up to the one of the lowest margin (of the next lowest, for the second try) between the
  // two best logits, the second best in its place, and goes on from there as the target would.
  int another = 0;
  // What is wrong with the edit of a region is put right: see edit_repair.h.
  bool repairs = true;
};

// One changed place, final when it is sent: later output never alters it. Against the request's
// document version.
struct Hunk {
  int id = 0;  // ascending from 0 within an edit, in file order
  TextEdit edit;
  std::string old_text;
  // Why it is doubtful, by the hunks so far; empty: it is not. What comes later may clear it up, so
  // the end has the last word.
  std::string doubt = {};
};

std::vector<TextEdit> edits_of(const std::vector<Hunk>& hunks);

// Of the lines that may change, how many the model has dealt with.
struct LinesPassed {
  int passed = 0;
  int of = 0;
};

struct EditProgress {
  double fraction =
      0;  // of the time that reading the prompt and going over the original take, 0..1
  DecodeStatistics statistics;
  std::optional<LinesPassed> lines;  // none while places are looked for

  bool reading() const { return statistics.passes == 0; }  // nothing is written yet
};

// What an edit with kPlaces changes, and the best of what it leaves.
struct ChosenPlaces {
  std::vector<EditPlace> chosen;  // in file order
  std::vector<EditPlace> others;  // the best first; not of places that were given
  int n_parts = 0;                // among which they were chosen
  bool whole_file = false;        // it is small: there was no choice
};

// Called on the decode thread.
struct EditObserver {
  // Once, before all hunks, of an edit with kPlaces.
  std::function<void(const ChosenPlaces&)> on_places = {};
  std::function<void(const Hunk&)> on_hunk = {};
  // At most once, after all hunks: these take the place of all of them, see edit_repair.h.
  std::function<void(const std::vector<Hunk>&)> on_replaced = {};
  std::function<void(const EditProgress&)> on_progress = {};  // at most once a forward pass
};

// The model was asked again, because its edit was doubtful.
struct EditRepair {
  std::string because;          // for people
  bool taken = false;           // the second answer is the result
  DecodeStatistics statistics;  // of the second answer alone
};

struct EditResult {
  std::vector<Hunk> hunks;  // all, in file order; applying them gives `text`
  std::string text;         // the whole new file
  ByteRange region;         // of the document: what could change; with kPlaces, all places
  std::string output;       // the model's raw output text, of all parts, without a repair's
  FinishReason finish_reason = FinishReason::kStop;
  std::vector<Doubt> doubts;         // about `hunks`, by their indices
  std::vector<Doubt> doubts_before;  // about the hunks that others have replaced; else empty
  std::vector<std::string> tidied;   // what was taken off the model's text, see Tidied
  std::optional<EditRepair> repair;  // nothing: there was no need, or no room
  bool placed = false;               // a change was put in its place without the model
  bool renamed = false;              // names were changed by the syntax tree, without the model
  bool has_other_tries = false;      // EditRequest::another gives further answers
  DecodeStatistics statistics;       // without the repair's

  // The whole text has syntax errors that the document had not.
  bool breaks_syntax() const {
    return !doubts.empty() && doubts.front().kind == Doubt::Kind::kSyntax;
  }
};

// What run_edit would refuse without asking the model: a blank instruction, a range outside the
// document.
Result<void> check_request(const EditRequest& request);

// The lines that the request may change. On the decode thread, for it may parse the document.
Result<EditRegion> edit_region(Engine& engine, const EditRequest& request);

// What is to be written, and what the model is shown for it.
struct EditPlan {
  EditRegion region;
  EditPrompt prompt;
  std::size_t context_bytes;
};

Result<EditPlan> plan_edit(Engine& engine, const EditRequest& request);

// Reads what the request's prompt will show before its instruction, which need not be known yet:
// first as much as an edit waits for, then more. Blocking; runs on the decode thread. `on_read` is
// told after each chunk what part of it, 0..1, is read; more urgent work may run within it. Reads
// no more than the machine does in `seconds`. An error where the prompt cannot be made.
Result<void> read_edit_ahead(Engine& engine, const EditRequest& request, double seconds,
                             const std::function<void(double fraction)>& on_read,
                             const std::stop_token& stop);

// One edit request, from instruction to streamed text edits. Blocking; runs on the decode thread.
// A file (by its scope) that does not fit the context is edited in parts, see EditWindows: the
// instruction is carried out in each by itself. So it is in places, see edit_places.h.
// Errors: no place found, blank instruction, range outside the document, another scope beyond the
// context, or a line that is too long for any part; a cancelled edit is a result with kCancelled
// and whatever hunks were final.
Result<EditResult> run_edit(Engine& engine, const EditRequest& request,
                            const EditObserver& observer, std::stop_token stop);

}  // namespace redraft
