#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoding/decoder_name.h"
#include "indexing/syntax/region_chain.h"
#include "support/owner_post.h"
#include "support/result.h"
#include "workspace/completion/completions.h"
#include "workspace/documents/changed_document.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"
#include "workspace/edit/live_edits.h"
#include "workspace/edit/read_ahead.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/idle_reading.h"
#include "workspace/index/index_slot.h"
#include "workspace/index/repository_indexer.h"
#include "workspace/next_edit/next_edits.h"

namespace redraft {

enum class EditOutcome { kDone, kCancelled, kFailed };

// What a Workspace reports. All calls, in both directions, are on the thread that owns the
// Workspace. The model works on the decode thread; its results arrive through `post`, which the
// owner provides and which runs a function on the owner's thread.
struct WorkspaceObserver {
  // A new hunk, against the document's current version. It is already dropped if the document has
  // changed there in the meantime.
  std::function<void(EditId, const LiveHunk&)> on_hunk;
  // Earlier hunks of one edit have moved or were dropped: by a change of the document (within
  // change()), by a newer edit, or because the document was closed or replaced (within that call).
  std::function<void(EditId, const std::vector<LiveHunk>&)> on_hunks_changed;
  // The lines of `document` that an edit for a cursor or a symbol may change. Called once, before
  // the hunks, unless the document has changed or the edit has ended in the meantime.
  std::function<void(EditId, const Document& document, ByteRange)> on_region;
  // The same for an edit with EditScope::kPlaces: the places of `document` that it changes.
  std::function<void(EditId, const Document& document, const ChosenPlaces&)> on_places;
  std::function<void(EditId, const EditProgress&)> on_progress;
  // Once per edit, after its last hunk. Failed: `error` says why, and the result is null if the
  // model never ran. Cancelled: `error` says why, unless cancel() did it; the hunks so far remain
  // if the document still exists and no newer edit has the same lines.
  std::function<void(EditId, EditOutcome, const EditResult*, const std::string& error)> on_end;
  // Once per edit, after its end, when none of its hunks waits any more: it is forgotten.
  std::function<void(EditId)> on_over;
  std::function<void(const EngineStatus&)> on_engine;  // it changed, or more of it is loaded
  std::function<void(const IndexStatus&)> on_index;    // the same for the index
  std::function<void(const IndexStatus&)> on_common;   // for the index of other projects' code
  // The client changed a document, which is now `now`. May be empty.
  std::function<void(const Document& now, const std::vector<BufferChange>& changes)> on_changed =
      {};
  // The model has read this much ahead for this workspace: of announced edits, and of requests that
  // it expects. May be empty.
  OnReadAhead on_read_ahead = {};
};

// The façade: open, change, close, edit, resolve. Documents in, text edits out; knows no protocol.
class Workspace {
 public:
  // `post` leads to the thread that owns this object and the host.
  Workspace(std::shared_ptr<EngineHost> host, Post post, WorkspaceObserver observer);
  ~Workspace();  // cancels what runs

  // File names are shown to the model as paths relative to these folders.
  void set_folders(std::vector<std::filesystem::path> folders);
  // Edits also draft from an index of the workspace's folders, as soon as it is open. It replaces
  // the previous index, and a background thread keeps it up to date.
  void index(RepositoryIndexer::MakeIndex make_index);
  // The same for an index of other projects' code, which is scanned only once.
  void index_common(RepositoryIndexer::MakeIndex make_index);
  // Drops the index. Nothing more is reported about it.
  void drop_index();
  void drop_common_index();
  // Hands over the indexes, so that the caller destroys them: their threads may take a while to
  // end.
  std::vector<IndexSlot> take_indexes();
  // These files or folders on disk may have changed.
  void files_changed(const std::vector<std::filesystem::path>& paths);

  // If the document is open already, this replaces it.
  Result<void> open(std::string uri, std::int64_t version, std::string text,
                    std::string language_id);
  // Applies `edits` in the given order, each against the text that the previous one left (as in
  // LSP). Rebases or drops the hunks of live edits. After an error (a range outside the text, or a
  // text that cannot be edited) the document is no longer open.
  Result<void> change(const std::string& uri, std::int64_t version,
                      const std::vector<TextEdit>& edits);
  // The same for a long text that another thread has prepared. It must be based on the document
  // that document() returns.
  Result<void> open(const std::string& uri, Result<JudgedDocument> judged);
  Result<void> change(const std::string& uri, Result<ChangedDocument> changed);
  // Cancels and forgets its edits; `why` is the reason shown to the user.
  void close(const std::string& uri, const std::string& why = "the document was closed");
  // The client's text, or a change of it, did not arrive. The document cannot be edited, and
  // why_not() returns `why`, until it is opened again.
  void refuse(const std::string& uri, const Error& why);
  // Ends the edits, as close() does, of this file or of all files in this folder. The documents
  // stay open. For a rename or a deletion, after which the client would apply the edits to another
  // file.
  void end_edits_within(const std::string& uri, const std::string& why);
  // Null if the document is not open.
  std::shared_ptr<const Document> document(const std::string& uri) const;
  Error why_not(const std::string& uri) const;  // the reason if it is not

  // Starts an edit of an open document at the given version (an error if that is not its current
  // version, or if LiveEdits has no room). Fills in `request.document`. Earlier edits of the
  // document stay, except those that this one replaces: see LiveEdits. No callback for the new edit
  // comes before this returns.
  Result<EditId> edit(const std::string& uri, std::int64_t version, EditRequest request);
  // The client will probably request this edit; its instruction is not known yet. The model reads
  // the prompt while it is idle, until an edit is requested. Errors as for edit().
  Result<void> announce(const std::string& uri, std::int64_t version, EditRequest request,
                        ReadAhead::Observer observer);
  // The regions around a cursor or a selection, see regions_at(). Calls `on_answer` once, with an
  // error if the regions could not be found. Loads no model. Errors as for edit().
  using OnRegions = std::function<void(const Document& document, const Result<RegionChain>& chain)>;
  Result<void> find_regions(const std::string& uri, std::int64_t version, ByteRange at,
                            OnRegions on_answer);
  // Stops reading the prompt that announce() began.
  void stop_reading_ahead();
  // Takes effect within one forward pass, or immediately while the model is loading; on_end
  // follows. False if no such edit runs.
  bool cancel(EditId id);
  // Null for an unknown edit. An edit that has ended is forgotten with its last hunk.
  const LiveEdit* live_edit(EditId id) const;
  // The current version of the edit's document; null if it is closed, or if the edit was replaced
  // or is unknown.
  std::shared_ptr<const Document> document_of(EditId id) const;
  void cancel_all();
  // Takes hunks out of an edit (accepted or rejected; all if `ids` is null) and returns those that
  // still apply, as edits against the document's current version, which is written to `version`.
  Result<std::vector<TextEdit>> resolve(EditId id, const std::optional<std::vector<int>>& ids,
                                        std::int64_t* version);

  struct CompletionWish {
    std::string uri;
    std::size_t offset = 0;  // of the cursor in the current document, in bytes
    // The text that an editor's own menu would insert in place of `selected_range`.
    std::optional<std::string> selected = {};
    ByteRange selected_range = {};
    int alternatives = 1;
    int blocks = 1;
    int max_new_tokens = CompletionRequest().max_new_tokens;
    int context_tokens = 0;
    double min_probability = 0;
    bool in_comments = true;
    std::chrono::milliseconds delay{0};
  };
  // See Completions::ask(). An error if the document is not open, or the offset is outside of it.
  // With `selected`, the answer's texts follow that text. In a document that holds secrets, by its
  // name or its content, nothing is suggested.
  Result<CompletionId> complete(const CompletionWish& wish, Completions::OnAnswer on_answer);
  void cancel_completion(CompletionId id);
  // The client will probably request a completion at that place, or near it. The model reads the
  // prompt while it is idle, unless complete() would suggest nothing. See
  // Completions::read_ahead().
  void expect_completion(const CompletionWish& wish);

  // Looks for changes that follow from the user's recent ones, in this and other open documents.
  // See NextEdits::ask(). An error if the document is not open. Nothing is proposed in a withheld
  // document, nor in documents that are withheld from this one.
  // `in_files`: the client can also apply edits of files that are not open.
  Result<NextEditId> next_edit(const std::string& uri, bool in_files,
                               NextEdits::OnAnswer on_answer);
  void cancel_next_edit(NextEditId id);
  // Whether to read the prompt of a next edit ahead after each change, see
  // NextEdits::read_ahead(). False at first.
  void expect_next_edits(bool expect);
  // The prompt format of a model that was trained to write next edits (see find_next_edit_format();
  // initially chosen by the model's name), and the minimum probability of what any other model
  // writes (see NextEditRequest).
  void set_next_edits(std::string format, double min_probability);
  // The user rejects this edit of the document, which may have changed since.
  void reject_next_edit(const Document& document, const TextEdit& edit);

  // Whether to load the models before the first request, when the decode thread is idle and a
  // document with a known language is open (EngineHost::load_early). False at first.
  void load_early(bool load);

  // How long the models may be idle before they are unloaded; zero, as at first: forever. See
  // EngineHost::unload_after().
  void unload_after(std::chrono::milliseconds idle);

  // Whether the prompts of later edits may be kept on disk (see Engine::save); true at first.
  void keep_on_disk(bool keep);

  // The size of the prompts of edits and completions; nothing, as at first: the one that was chosen
  // for the machine and the model.
  void set_prompt_size(std::optional<PromptSize> size);
  // That size; nothing: no model was loaded yet.
  std::optional<PromptSize> prompt_size() const;

  // The user has switched to this document.
  void focus(const std::string& uri);

  // The decoder of completions, next edits and edits whose request names none. The default uses all
  // lossless sources of drafts, including the draft model if there is one.
  const DecoderName& decoder() const;
  // check_decoder() must accept it; nothing: the default.
  void set_decoder(const std::optional<DecoderName>& decoder);
  // An error if it needs a draft model and there is none.
  Result<void> check_decoder(const DecoderName& decoder) const;

  const EngineStatus& engine_status() const;
  // What the engine's caches take; zeros: no engine is loaded, or its caches are elsewhere.
  CacheMemory cache_memory() const;

  // Blocks until no job waits or runs. Posted results may not have arrived yet. For tests.
  void wait_until_idle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
