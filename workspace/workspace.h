#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/owner_post.h"
#include "support/result.h"
#include "workspace/completion/completions.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_session.h"
#include "workspace/edit/live_edits.h"
#include "workspace/engine/engine_host.h"
#include "workspace/index/index_slot.h"
#include "workspace/index/repository_indexer.h"
#include "workspace/next_edit/next_edits.h"

namespace redraft {

enum class EditOutcome { kDone, kCancelled, kFailed };

// Everything is called, and calls back, on one thread: the one that owns the Workspace. Work on the
// model happens on the decode thread, whose results come through `post` (given by the owner, it
// must run the function on that thread).
struct WorkspaceObserver {
  // A new hunk, against the document's version now. Dropped already if the buffer has changed there
  // meanwhile.
  std::function<void(EditId, const LiveHunk&)> on_hunk;
  // Hunks of one edit that came before: each was moved or dropped by a change of the buffer (from
  // within change()), by a newer edit, or because the document went (from within what says so).
  std::function<void(EditId, const std::vector<LiveHunk>&)> on_hunks_changed;
  std::function<void(EditId, const EditProgress&)> on_progress;
  // Once per edit, after its last hunk. Failed: `error` says why, and the result is null if the
  // model never ran. Cancelled: `error` says why if it was not by cancel(); the hunks so far stand,
  // if there is still a document and no newer edit of the same lines.
  std::function<void(EditId, EditOutcome, const EditResult*, const std::string& error)> on_end;
  // Once per edit, after its end and with its last hunk: it is forgotten.
  std::function<void(EditId)> on_over;
  std::function<void(const EngineStatus&)> on_engine;  // it changed, or more of it is loaded
  std::function<void(const IndexStatus&)> on_index;    // likewise
  std::function<void(const IndexStatus&)> on_common;   // of the index of other projects' code
};

// The façade: open, change, close, edit, resolve. Documents in, text edits out; no protocol in
// here.
class Workspace {
 public:
  // `post` leads to the thread that owns this and the host.
  Workspace(std::shared_ptr<EngineHost> host, Post post, WorkspaceObserver observer);
  ~Workspace();  // cancels what runs

  // Names of files are shown to the model as paths from these on.
  void set_folders(std::vector<std::filesystem::path> folders);
  // From now on edits draft from an index of the workspace's folders too, once it is open; it is
  // kept up to date in the background, and takes the place of the one before.
  void index(RepositoryIndexer::MakeIndex make_index);
  // The same for an index of code of other projects, which is looked at once.
  void index_common(RepositoryIndexer::MakeIndex make_index);
  // From now on there is none; nothing more is heard of it.
  void drop_index();
  void drop_common_index();
  // Hands the indexes over, to be destroyed elsewhere: their threads may take a while to end.
  std::vector<IndexSlot> take_indexes();
  // Files or folders on disk that may have changed.
  void files_changed(const std::vector<std::filesystem::path>& paths);

  // Of a document that is open already it is a new beginning.
  Result<void> open(std::string uri, std::int64_t version, std::string text,
                    std::string language_id);
  // `edits` in the order given, each against the text the one before left (as LSP sends them); a
  // whole-text change is one edit over everything. Rebases or drops the hunks of live edits. After
  // an error (a range outside the text, or a text that cannot be edited) the document is no longer
  // open.
  Result<void> change(const std::string& uri, std::int64_t version,
                      const std::vector<TextEdit>& edits);
  // Its edits are cancelled and forgotten; `why` is what their user is told.
  void close(const std::string& uri, const std::string& why = "the document was closed");
  // The client has a document there, or a change of one, whose text did not arrive: it can no
  // longer be edited, and why_not() says `why`, until it is opened anew.
  void refuse(const std::string& uri, const Error& why);
  // The same as close() for the edits alone, of all documents that are this file or, if it is a
  // folder, in it: what they change is not what the client would put them into.
  void end_edits_within(const std::string& uri, const std::string& why);
  // Null when the document is not open.
  std::shared_ptr<const Document> document(const std::string& uri) const;
  Error why_not(const std::string& uri) const;  // the reason when it is not

  // Starts an edit of an open document at the version given (an error if that is not its version
  // now, or when LiveEdits has no room for it). `request.document` is filled in. Edits of the
  // document that were asked for before stay, but those that this one takes the place of: see
  // LiveEdits. Nothing of the new edit is called back before it returns.
  Result<EditId> edit(const std::string& uri, std::int64_t version, EditRequest request);
  // Within one forward pass, and at once while the model loads; on_end follows. False when no such
  // edit runs.
  bool cancel(EditId id);
  // Null for an unknown edit: one that has ended is forgotten with its last hunk.
  const LiveEdit* live_edit(EditId id) const;
  // What it is about, as it is now; null when that has gone, or the edit is replaced or unknown.
  std::shared_ptr<const Document> document_of(EditId id) const;
  void cancel_all();
  // Takes hunks out of an edit (accepted or rejected; all if `ids` is null) and returns those that
  // still applied, as edits against the document's version now, which is written to `version`.
  Result<std::vector<TextEdit>> resolve(EditId id, const std::optional<std::vector<int>>& ids,
                                        std::int64_t* version);

  struct CompletionWish {
    std::string uri;
    std::size_t offset = 0;  // of the place in the document as it is now, in bytes
    // What an editor's own menu is about to put in the place of `selected_range` before it.
    std::optional<std::string> selected = {};
    ByteRange selected_range = {};
    int alternatives = 1;
    int blocks = 1;
    int max_new_tokens = CompletionRequest().max_new_tokens;
    int context_tokens = 0;
    bool in_comments = true;
    std::chrono::milliseconds delay{0};
  };
  // See Completions::ask(). An error: the document is not open, or the place is none of it. With
  // `selected` the answer's texts go behind that. In a document that holds secrets, by its name or
  // by what stands in it, nothing is suggested.
  Result<CompletionId> complete(const CompletionWish& wish, Completions::OnAnswer on_answer);
  void cancel_completion(CompletionId id);

  // Looks for changes that follow from those the user made lately: in the document, and in others
  // that are open. See NextEdits::ask(). An error: it is not open. Nothing is proposed in a
  // document that is withheld from others, nor in those that are withheld from this.
  Result<NextEditId> next_edit(const std::string& uri, NextEdits::OnAnswer on_answer);
  void cancel_next_edit(NextEditId id);
  // The user does not want this edit of the document, which may have changed since.
  void reject_next_edit(const Document& document, const TextEdit& edit);

  // The user looks at the document now.
  void focus(const std::string& uri);

  const EngineStatus& engine_status() const;

  // Blocks until nothing is queued or running; what was posted may still be under way. For tests.
  void wait_until_idle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
