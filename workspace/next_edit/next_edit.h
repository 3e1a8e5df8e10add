#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_name.h"
#include "indexing/store/datastore.h"
#include "support/result.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/documents/document_origins.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/open_documents.h"
#include "workspace/documents/text_edit.h"
#include "workspace/engine/engine.h"
#include "workspace/next_edit/call_search.h"
#include "workspace/next_edit/edit_format.h"
#include "workspace/next_edit/naming_files.h"
#include "workspace/next_edit/next_place.h"

namespace redraft {

// What is remembered from one request to the next. Used on the decode thread only.
struct NextEditMemory {
  // The part of the code that prompts show as one that stays as it is: prompts that begin alike are
  // read once.
  std::string quiet;
  // Places of calls where the model changed nothing: it is not asked about them again.
  std::set<std::size_t> fruitless;
  NamingFiles files;
};

// A request for changes that follow from those that the user just made.
struct NextEditRequest {
  std::vector<RecentChange> recent;  // the latest at the end
  // Where to look for follow-ups: the user's document, then the other open ones.
  std::vector<std::shared_ptr<const Document>> documents;
  // What each of them was: tells which functions have other parameters now.
  std::vector<DocumentOrigin> origins = {};
  std::vector<std::shared_ptr<const Document>> beside = {};  // see EditRequest
  std::shared_ptr<const Datastore> repository = {};
  // Calls are looked for in its files that are not open, too; null: in none.
  std::shared_ptr<const IndexSnapshot> index = {};
  DecoderName decoder;
  // See find_next_edit_format(): how a model is asked that was trained for this.
  std::string format = std::string(kFormatByModel);
  std::vector<std::filesystem::path> folders = {};  // prompts name files relative to these
  std::shared_ptr<NextEditMemory> memory = {};      // may be null
  // How many regions the model tries before concluding that there is nothing to propose.
  int max_regions = 2;
  // Changes that the model thinks less likely, all their tokens together, are left out (0 to 1; 0:
  // none). What a model writes that was trained for next edits, and sound changes of calls, are
  // shown all the same. Chosen by docs/lab/quality.md.
  double min_probability = 0.3;
  std::function<void()> on_pass = {};  // after each forward pass, on the decode thread
  // An edit that the user has turned down.
  std::function<bool(const Document&, const TextEdit&)> is_unwanted = {};

  bool is_anything_changed() const;
};

// What follows, seen from the open document `uri`, from what the user did in all of them. Decoder,
// format, folders, memory and indexes are left to the caller.
NextEditRequest next_edit_request(const OpenDocuments& documents, const std::string& uri);

struct NextEditResult {
  std::shared_ptr<const Document> document;  // null: there is nothing to propose
  std::vector<TextEdit> edits;               // of its lines, ascending
  std::string why_none;
  std::string note;      // for people: what was looked for because parameters changed; may be empty
  bool by_tree = false;  // the model was not asked
  bool is_unsure = false;  // something was left out that the model thinks too unlikely
  int regions = 0;         // that the model tried
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;  // of all regions that the model tried
};

// Whether a change of lines follows from the recent ones: it removes or adds words that they
// removed or added, or changes each line as one of theirs was with other words in it; it changes
// more than white space, undoes none of them, and indents no line anew if they did not.
bool follows_from(const std::vector<RecentChange>& recent, const std::vector<std::string>& before,
                  const std::vector<std::string>& after);

// Where the model is asked to look, and a part of the code that stays as it is.
struct NextEditSearch {
  ChangedCalls calls;
  std::vector<NextPlace> places;
  std::string quiet;
};

// Without the model: what follows for certain, that nothing can, or where it is to be looked for.
struct NextEditPlan {
  std::optional<NextEditResult> result;
  NextEditSearch search;  // without a result
};
NextEditPlan plan_next_edit(const NextEditRequest& request, const std::stop_token& stop);

// Calls of functions whose parameters changed come first; what the model makes of those is held to
// what the syntax tree says of such a call. Other places follow.
//
// Shows the model one place after the other until it changes something there that follows from the
// recent changes. Blocking; runs on the decode thread. A model that was trained to write next edits
// is asked in its format (NextEditRequest::format). For others the prompt shows each recent change
// as an answer that the model gave itself, and some lines that needed no change as another; then
// the place. The place's lines are the draft, so a place that needs no change costs little more
// than its prefill.
Result<NextEditResult> run_next_edit(Engine& engine, const NextEditRequest& request,
                                     const NextEditSearch& search, const std::stop_token& stop);

// Reads what such a request would read before it writes; see Engine::read_ahead(). Nothing is read
// where the model would not be asked.
Result<void> read_next_edit_ahead(Engine& engine, const NextEditRequest& request,
                                  const std::function<void(int known)>& on_chunk,
                                  const std::stop_token& stop);

}  // namespace redraft
