#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "support/byte_range.h"
#include "workspace/documents/change_origin.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_doubts.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {

// What became of a request; the alternatives of EditDecision, in their order.
enum class EditKind : std::uint8_t { kCertainChange, kRename, kRegion, kPlaces, kWindows, kRetry };

const char* to_string(EditKind kind);  // "certain change", "rename", "region", ...

// A changed place, against the request's version of the document. It is final when it is sent:
// later output never alters it.
struct Hunk {
  int id = 0;  // ascending from 0 within an edit, in file order
  TextEdit edit;
  std::string old_text;
  // Why the hunk is doubtful; empty: it is not. While the edit runs, the hunks so far decide, and
  // later ones may resolve the doubt. In the result it is final, see settled_doubts.h.
  std::string doubt = {};
  ChangeOrigin origin = {};
};

std::vector<TextEdit> edits_of(const std::vector<Hunk>& hunks);
// The edits of the hunks without a doubt.
std::vector<TextEdit> certain_edits_of(const std::vector<Hunk>& hunks);

// How many of the lines that may change the model has finished.
struct LinesPassed {
  int passed = 0;
  int of = 0;
};

struct EditProgress {
  // The share done of the time for reading the prompt and going over the original, 0..1.
  double fraction = 0;
  DecodeStatistics statistics;
  std::optional<LinesPassed> lines;  // nothing while redraft looks for places
  bool thinking = false;             // the model thinks and has not begun with the code

  bool reading() const { return statistics.passes == 0; }  // nothing is written yet
};

// A part of a file that is edited on its own: whole lines.
struct EditPlace {
  ByteRange range;
  std::string name;  // for people: the name of its definition, or its first line
  friend bool operator==(const EditPlace&, const EditPlace&) = default;
};

// Which places an edit with EditScope::kPlaces changes, and the best of those it leaves.
struct ChosenPlaces {
  std::vector<EditPlace> chosen;  // in file order
  std::vector<EditPlace> others;  // the best first; empty if the request named the places
  int n_parts = 0;                // how many parts the file was divided into
  bool whole_file = false;        // the file is small, so all of it is edited
};

// Called on the thread that carries out the edit.
struct EditObserver {
  // Once, before all hunks, of an edit with kPlaces.
  std::function<void(const ChosenPlaces&)> on_places = {};
  std::function<void(const Hunk&)> on_hunk = {};
  // At most once, after all hunks: these hunks replace all earlier ones, see edit_repair.h.
  std::function<void(const std::vector<Hunk>&)> on_replaced = {};
  std::function<void(const EditProgress&)> on_progress = {};  // at most once per forward pass
};

// The model was asked again because its first answer was doubtful.
struct EditRepair {
  std::string because;          // for people
  bool taken = false;           // the second answer is the result
  DecodeStatistics statistics;  // of the second answer alone
};

struct EditResult {
  EditKind kind = EditKind::kRegion;
  std::vector<Hunk> hunks;  // all, in file order; applying them gives `text`
  std::string text;         // the whole new file
  ByteRange region;         // the part of the document that could change
  // The model's raw output for all parts, with its thoughts, without a repair's.
  std::string output;
  std::size_t code_begin = 0;  // the offset in `output` of the first part's code, after a thought
  FinishReason finish_reason = FinishReason::kStop;
  std::vector<Doubt> doubts;         // about `hunks`, by their indices
  std::vector<Doubt> doubts_before;  // about the first hunks, if a repair replaced them
  std::vector<Hunk> hunks_before;    // these hunks
  std::vector<std::string> tidied;   // what was removed from the model's text, see Tidied
  std::optional<EditRepair> repair;  // nothing: it was not needed, or there was no room
  bool has_retries = false;          // EditRequest::retry_index gives further answers
  std::string why_carried_out = {};  // without hunks: see carried_out.h
  DecodeStatistics statistics;       // without the repair's
  // The size of its prompts; nothing: the model was not used.
  std::optional<PromptSize> prompt_size = {};

  // A change was merged without the model.
  bool is_placed() const { return kind == EditKind::kCertainChange; }
  // The syntax tree renamed something, without the model.
  bool is_renamed() const { return kind == EditKind::kRename; }
  // The new text has syntax errors that the document did not have.
  bool breaks_syntax() const {
    return !doubts.empty() && doubts.front().kind == Doubt::Kind::kSyntax;
  }
};

}  // namespace redraft
