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
#include "workspace/edit/edit_session.h"
#include "workspace/edit/live_edits.h"
#include "workspace/edit/read_ahead.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/idle_reading.h"
#include "workspace/index/index_slot.h"
#include "workspace/index/repository_indexer.h"
#include "workspace/next_edit/next_edits.h"

namespace redraft {

enum class EditOutcome { kDone, kCancelled, kFailed };

// Everything is called, and calls back, on the one thread that owns the Workspace. The model works
// on the decode thread, whose results come through `post` (provided by the owner, it must run the
// function on the owner's thread).
struct WorkspaceObserver {
  // A new hunk, against the document's current version. It is dropped already if the document has
  // changed there meanwhile.
  std::function<void(EditId, const LiveHunk&)> on_hunk;
  // Earlier hunks of one edit that were moved or dropped: by a change of the document (within
  // change()), by a newer edit, or because the document was closed or replaced (within that call).
  std::function<void(EditId, const std::vector<LiveHunk>&)> on_hunks_changed;
  // Which lines of `document` an edit may change that was requested for a cursor or a symbol. Once,
  // before its hunks, unless the document was changed or the edit ended meanwhile.
  std::function<void(EditId, const Document& document, ByteRange)> on_region;
  // The same of an edit with EditScope::kPlaces: which places of `document` it changes.
  std::function<void(EditId, const Document& document, const ChosenPlaces&)> on_places;
  std::function<void(EditId, const EditProgress&)> on_progress;
  // Once per edit, after its last hunk. Failed: `error` says why, and the result is null if the
  // model never ran. Cancelled: `error` says why unless it was by cancel(); the hunks so far remain
  // if the document is still there and no newer edit has the same lines.
  std::function<void(EditId, EditOutcome, const EditResult*, const std::string& error)> on_end;
  // Once per edit, after its end and its last hunk: it is forgotten.
  std::function<void(EditId)> on_over;
  std::function<void(const EngineStatus&)> on_engine;  // it changed, or more of it is loaded
  std::function<void(const IndexStatus&)> on_index;    // likewise
  std::function<void(const IndexStatus&)> on_common;   // of the index of other projects' code
  // A document was changed by its client: it is `now` this. May be empty.
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
  // From now on edits also draft from an index of the workspace's folders, once it is open. It is
  // kept up to date in the background, and replaces the previous one.
  void index(RepositoryIndexer::MakeIndex make_index);
  // The same for an index of other projects' code, which is scanned only once.
  void index_common(RepositoryIndexer::MakeIndex make_index);
  // From now on there is no index, and nothing more is reported about it.
  void drop_index();
  void drop_common_index();
  // Hands over the indexes, to be destroyed elsewhere: their threads may take a while to end.
  std::vector<IndexSlot> take_indexes();
  // Files or folders on disk that may have changed.
  void files_changed(const std::vector<std::filesystem::path>& paths);

  // Replaces a document that is open already.
  Result<void> open(std::string uri, std::int64_t version, std::string text,
                    std::string language_id);
  // `edits` in the order given, each against the text that the previous one left (as in LSP); a
  // change of the whole text is one edit of everything. Rebases or drops the hunks of live edits.
  // After an error (a range outside the text, or a text that cannot be edited) the document is no
  // longer open.
  Result<void> change(const std::string& uri, std::int64_t version,
                      const std::vector<TextEdit>& edits);
  // The same with what was made of the text elsewhere, because it is long. What changed must be
  // what document() returns.
  Result<void> open(const std::string& uri, Result<JudgedDocument> judged);
  Result<void> change(const std::string& uri, Result<ChangedDocument> changed);
  // Cancels and forgets its edits; `why` is the reason shown to the user.
  void close(const std::string& uri, const std::string& why = "the document was closed");
  // For a document whose text, or a change of it, did not arrive from the client: it cannot be
  // edited, and why_not() returns `why`, until it is opened again.
  void refuse(const std::string& uri, const Error& why);
  // Like close() for the edits only, in all documents that are this file or, if it is a folder, are
  // in it: the client would apply those edits to another file.
  void end_edits_within(const std::string& uri, const std::string& why);
  // Null if the document is not open.
  std::shared_ptr<const Document> document(const std::string& uri) const;
  Error why_not(const std::string& uri) const;  // the reason if it is not

  // Starts an edit of an open document at the given version (an error if that is not its current
  // version, or if LiveEdits has no room). Fills in `request.document`. Earlier edits of the
  // document stay, except those that this one replaces: see LiveEdits. No callback for the new edit
  // comes before this returns.
  Result<EditId> edit(const std::string& uri, std::int64_t version, EditRequest request);
  // Such an edit is about to be requested, its instruction is not known yet: its prompt is read
  // while nothing else is to be done, until an edit is requested. Errors as for edit().
  Result<void> announce(const std::string& uri, std::int64_t version, EditRequest request,
                        ReadAhead::Observer observer);
  // The regions around a cursor or a selection: see regions_at(). `on_answer` is called once; no
  // model is loaded for it. Errors as for edit().
  using OnRegions = std::function<void(const Document& document, const RegionChain& chain)>;
  Result<void> find_regions(const std::string& uri, std::int64_t version, ByteRange at,
                            OnRegions on_answer);
  // Nothing is read ahead any more.
  void stop_reading_ahead();
  // Takes effect within one forward pass, or at once while the model is loading; on_end follows.
  // False if no such edit runs.
  bool cancel(EditId id);
  // Null for an unknown edit: an ended edit is forgotten with its last hunk.
  const LiveEdit* live_edit(EditId id) const;
  // The edit's document, as it is now; null if it is gone, or the edit is replaced or unknown.
  std::shared_ptr<const Document> document_of(EditId id) const;
  void cancel_all();
  // Takes hunks out of an edit (accepted or rejected; all if `ids` is null) and returns those that
  // still apply, as edits against the document's current version, which is written to `version`.
  Result<std::vector<TextEdit>> resolve(EditId id, const std::optional<std::vector<int>>& ids,
                                        std::int64_t* version);

  struct CompletionWish {
    std::string uri;
    std::size_t offset = 0;  // of the cursor in the current document, in bytes
    // What an editor's own menu is about to insert in place of `selected_range` before the cursor.
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
  // A completion is about to be requested at that place, or near it: its prompt is read while
  // nothing else is to be done. See Completions::read_ahead(). Nothing where complete() would
  // suggest nothing.
  void expect_completion(const CompletionWish& wish);

  // Looks for changes that follow from the user's recent ones, in this and other open documents.
  // See NextEdits::ask(). An error if the document is not open. Nothing is proposed in a withheld
  // document, nor in documents that are withheld from this one.
  // `in_files`: edits of files that are not open are of use, too.
  Result<NextEditId> next_edit(const std::string& uri, bool in_files,
                               NextEdits::OnAnswer on_answer);
  void cancel_next_edit(NextEditId id);
  // Whether requests for next edits are to be expected after changes, and read ahead; see
  // NextEdits::read_ahead(). False at first.
  void expect_next_edits(bool expect);
  // How a model is asked that was trained to write next edits (see find_next_edit_format(); by its
  // name at first), and how likely what another model writes has to be (see NextEditRequest).
  void set_next_edits(std::string format, double min_probability);
  // The user rejects this edit of the document, which may have changed since.
  void reject_next_edit(const Document& document, const TextEdit& edit);

  // Whether the models are loaded before the first request: as soon as a document is open whose
  // language is known, once nothing else is to be done (EngineHost::load_early). False at first.
  void load_early(bool load);

  // For how long the models may do nothing before they are unloaded; zero: for ever, as at first.
  // See EngineHost::unload_after().
  void unload_after(std::chrono::milliseconds idle);

  // Whether what edits read from now on may be kept on disk (see Engine::save); true at first.
  void keep_on_disk(bool keep);

  // The user has switched to this document.
  void focus(const std::string& uri);

  // What completions and next edits run, and edits unless their request says otherwise. By default
  // it has all lossless sources of drafts that there are, the draft model too if there is one.
  const DecoderName& decoder() const;
  // check_decoder() accepts it; none: the default.
  void set_decoder(const std::optional<DecoderName>& decoder);
  // An error if it needs a draft model and there is none.
  Result<void> check_decoder(const DecoderName& decoder) const;

  const EngineStatus& engine_status() const;

  // Blocks until no job waits or runs; posted results may still be under way. For tests.
  void wait_until_idle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
