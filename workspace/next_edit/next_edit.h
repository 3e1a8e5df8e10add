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
#include "workspace/next_edit/name_changes.h"
#include "workspace/next_edit/naming_files.h"
#include "workspace/next_edit/next_place.h"

namespace redraft {

// The state kept from one request to the next. Used only on the decode thread.
struct NextEditMemory {
  // The part of the code that prompts show as an example of unchanged code. Keeping it lets prompts
  // share their beginning, which is read once.
  std::string quiet;
  // Places of calls where the model changed nothing; it is not asked about them again.
  std::set<std::size_t> fruitless;
  NamingFiles files;
};

// A request for changes that follow from the user's recent changes.
struct NextEditRequest {
  std::vector<RecentChange> recent;  // the latest at the end
  // Where to search for follow-ups: the user's document, then the other open ones.
  std::vector<std::shared_ptr<const Document>> documents;
  // Their original versions, which show which functions now have other parameters.
  std::vector<DocumentOrigin> origins = {};
  std::vector<std::shared_ptr<const Document>> beside = {};  // see EditRequest
  std::shared_ptr<const Datastore> repository = {};
  // Calls are also searched in its files that are not open; null: there are none.
  std::shared_ptr<const IndexSnapshot> index = {};
  DecoderName decoder;
  // See find_next_edit_format(): the prompt format of a model that was trained for next edits.
  std::string format = std::string(kFormatByModel);
  std::vector<std::filesystem::path> folders = {};  // prompts name files relative to these
  std::shared_ptr<NextEditMemory> memory = {};      // may be null
  // How many regions the model tries before it concludes that there is nothing to propose.
  int max_regions = 2;
  // Changes whose probability, for all tokens together, is lower than this are left out (0 to 1; 0:
  // none are). The output of a model that was trained for next edits, and sound changes of calls,
  // are shown regardless. docs/lab/quality.md explains the value.
  double min_probability = 0.3;
  std::function<void()> on_pass = {};  // called after each forward pass, on the decode thread
  // Recognises edits that the user has rejected.
  std::function<bool(const Document&, const TextEdit&)> is_unwanted = {};

  bool is_anything_changed() const;
};

// The request for the open document `uri`, from the user's changes in all documents. The caller
// sets decoder, format, folders, memory and indexes.
NextEditRequest next_edit_request(const OpenDocuments& documents, const std::string& uri);

struct NextEditResult {
  std::shared_ptr<const Document> document;  // null: nothing to propose
  std::vector<TextEdit> edits;               // of its lines, ascending
  std::string why_none;
  std::string note;      // for users: how the edits were found, or what was searched; may be empty
  bool by_tree = false;  // the model was not used
  bool is_unsure = false;  // something was left out because the model considers it too unlikely
  int regions = 0;         // regions that the model tried
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;  // of all regions that the model tried
};

// Whether a change of lines follows from the recent changes. It does if it removes or adds words
// that they removed or added, or changes each line as they changed one of theirs with other words.
// It must also change more than white space, undo none of them, and reindent no line if they did
// not.
bool follows_from(const std::vector<RecentChange>& recent, const std::vector<std::string>& before,
                  const std::vector<std::string>& after);

// Where the model searches, and a part of the code that stays unchanged.
struct NextEditSearch {
  ChangedCalls calls;
  std::shared_ptr<const NameChanges> names;  // of the request's changes
  std::vector<NextPlace> places;
  std::string quiet;
};

// The result without the model: a certain follow-up, the fact that there is none, or where the
// model has to search.
struct NextEditPlan {
  std::optional<NextEditResult> result;
  NextEditSearch search;  // if there is no result
};
NextEditPlan plan_next_edit(const NextEditRequest& request, const std::stop_token& stop);

// Finds the next edit. Calls of functions whose parameters changed come first; the model's changes
// of those must satisfy the rules for such calls. Other places follow. A change is left out if it
// changes a name that means something else there (NameChanges), or a value that is equal by chance
// (LiteralChanges).
//
// Shows the model one place after the other until it changes something there that follows from the
// recent changes. Blocking; runs on the decode thread. A model that was trained to write next edits
// gets a prompt in its format (NextEditRequest::format). For others the prompt is a conversation:
// it shows each recent change as an earlier answer of the model, some lines that needed no change
// as another, and then the place. The place's lines are the draft, so a place that needs no change
// costs little more than its prefill.
Result<NextEditResult> run_next_edit(Engine& engine, const NextEditRequest& request,
                                     const NextEditSearch& search, const std::stop_token& stop);

// Reads the prompt of such a request ahead of time; see Engine::read_ahead(). Reads nothing if the
// request would not use the model.
Result<void> read_next_edit_ahead(Engine& engine, const NextEditRequest& request,
                                  const std::function<void(int known)>& on_chunk,
                                  const std::stop_token& stop);

}  // namespace redraft
