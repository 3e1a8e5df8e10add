// How an edit's outcome reaches the client, in a form that the client supports.
//
// This class keeps little on purpose. LiveEdits alone knows which edits are alive, where their
// hunks are and which of them wait. A second record of that would have to stay in step, whatever
// the order of calls. So this class keeps, for each edit, only what no other class knows: where its
// outcome goes, the number of the next notification, and when progress was last reported. It asks
// the Workspace for everything else, and forgets an edit when it is told that the edit is over.
//
// An example: the model writes hunks A and B, the user types above them and then accepts A.
// Depending on its capabilities, the client gets:
//
//   streamed edits       hunk A, hunk B, moved [A, B], end: numbered from 0 without a gap. A also
//                        is the answer to `redraft/resolveEdit`; over once B is resolved
//   workspace/applyEdit  A and B at the end in one request, where they are by then
//   codeAction/resolve   the same edits in the answer. If the typing had dropped A or B, the answer
//                        would be ContentModified: the user did not choose half of an action
//
// If B has a doubt, the last two make A alone. B waits, and the code actions offer it until the
// next edit of the document has ended.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lsp/features/client_versions.h"
#include "lsp/features/code_actions.h"
#include "lsp/status/model_status.h"
#include "lsp/status/taken_back.h"
#include "lsp/status/usage.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/progress.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Main thread.
class EditFeed {
 public:
  // Where the outcome of one edit goes. With `reply`, it goes into the answer, which completes
  // `action`. Otherwise it is streamed or applied, whichever the client supports.
  struct Delivery {
    std::optional<Reply> reply;
    Json action;
    std::shared_ptr<WorkDoneProgress> progress;  // may be null
    bool takes_doubtful = false;  // if not streamed: changes with a doubt are made, too
  };

  EditFeed(std::shared_ptr<Connection> connection, Workspace& workspace, const ModelStatus& model,
           Usage& usage, TakenBack& taken_back, const ClientVersions& versions)
      : connection_(std::move(connection)),
        workspace_(workspace),
        model_(model),
        usage_(usage),
        taken_back_(taken_back),
        versions_(versions) {}
  void set_capabilities(const ClientCapabilities& capabilities) { client_ = capabilities; }

  // Call this for an edit that has just started.
  void start(EditId id, Delivery delivery);

  // Called by the Workspace.
  void on_region(EditId id, const Document& document, ByteRange region);
  void on_places(EditId id, const Document& document, const ChosenPlaces& places);
  void on_hunk(EditId id, const LiveHunk& live);
  void on_hunks_changed(EditId id, const std::vector<LiveHunk>& hunks);
  void on_progress(EditId id, const EditProgress& progress);
  void on_end(EditId id, EditOutcome outcome, const EditResult* result, const std::string& error);
  void on_over(EditId id) { recipients_.erase(id); }

  void resolve(const ResolveEditParams& params, const Reply& reply);
  // The changes with a doubt that an edit of this document did not make.
  std::vector<OfferedEdit> left_out(const std::string& uri) const;
  void cancel_progress(const Json& token);

 private:
  struct Recipient {
    Delivery delivery;
    bool streamed = false;
    int next_seq = 0;
    std::map<int, Range> places;  // of the waiting hunks, as the client knows them
    std::chrono::steady_clock::time_point last_progress = {};
  };

  Recipient* find(EditId id);
  void notify(EditId id, Recipient& recipient, const char* kind, Json params);
  // The doubts about the hunks that the client has.
  Json doubts_json(EditId id, const EditResult* result) const;
  void deliver(EditId id, Delivery delivery, EditOutcome outcome, const EditResult* result,
               const std::string& error);
  void deliver_done(EditId id, Delivery delivery, const EditResult* result);
  // Takes those hunks that need no decision, and leaves the others.
  Result<std::vector<TextEdit>> take(EditId id, bool takes_doubtful);
  // Earlier edits of the same document have waited long enough.
  void forget_left_out(EditId id);
  void warn_about(const EditResult* result, std::size_t n_left, int n_dropped);
  void apply(const std::string& label, Json workspace_edit);
  Json workspace_edit(const Document& document, const std::vector<TextEdit>& edits) const;

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  const ModelStatus& model_;
  Usage& usage_;
  TakenBack& taken_back_;
  const ClientVersions& versions_;
  ClientCapabilities client_;
  std::map<EditId, Recipient> recipients_;
};

}  // namespace redraft::lsp
