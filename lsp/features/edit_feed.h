#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lsp/status/model_status.h"
#include "lsp/status/usage.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/progress.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Carries the outcome of edits from the Workspace to the client, in the form it can take: hunk by
// hunk as they become final, as one workspace/applyEdit at the end, or as the answer to
// codeAction/resolve.
//
// A streamed edit stays known after its end while hunks wait for the user; typing elsewhere moves
// them, typing in their place drops them, and the client hears of both. Main thread.
class EditFeed {
 public:
  // Where the outcome of one edit goes: to `reply` with `action` completed, else streamed or
  // applied, as the client can.
  struct Delivery {
    std::optional<Reply> reply;
    Json action;
    std::shared_ptr<WorkDoneProgress> progress;  // may be null
  };

  EditFeed(std::shared_ptr<Connection> connection, Workspace& workspace, const ModelStatus& model,
           Usage& usage)
      : connection_(std::move(connection)), workspace_(workspace), model_(model), usage_(usage) {}
  void set_capabilities(const ClientCapabilities& capabilities) { client_ = capabilities; }

  void start(EditId id, std::string uri, Delivery delivery);

  // From the Workspace.
  void on_hunk(EditId id, const LiveHunk& hunk);
  void on_hunk_changed(EditId id, const LiveHunk& hunk);
  void on_progress(EditId id, const EditProgress& progress);
  void on_end(EditId id, EditState state, const EditResult* result, const std::string& error);

  // The Workspace has taken a change and told of all hunks that it moved or dropped.
  void document_changed(const std::string& uri);
  // The Workspace has ended all edits of the document: the client hears that the hunks it may still
  // show are gone, and why.
  void document_gone(const std::string& uri, const std::string& reason);
  // A file or folder is no longer where it was. Edits of what was there end, whether or not the
  // client has it open yet: what they change is not what the client would put them into.
  void file_gone(const std::string& uri, const std::string& reason);

  void resolve(const ResolveEditParams& params, const Reply& reply);
  // False when it does not run.
  bool cancel(EditId id);
  void cancel_progress(const Json& token);
  void cancel_all();

 private:
  struct LiveEdit {
    std::string uri;
    Delivery delivery;
    bool streamed = false;
    bool ended = false;
    int next_seq = 0;
    std::chrono::steady_clock::time_point last_progress;
    std::set<int> waiting;  // hunks the client knows of that are neither resolved nor dropped
    int dropped = 0;
    Json moved = Json::array();  // what document_changed() will send
  };

  LiveEdit* find(EditId id);
  void notify(EditId id, LiveEdit& edit, const char* kind, Json params);
  void send_hunk(EditId id, LiveEdit& edit, const LiveHunk& live);
  void drop_hunk(EditId id, LiveEdit& edit, const LiveHunk& live);
  void deliver(EditId id, LiveEdit& edit, EditState state, const EditResult* result,
               const std::string& error);
  void deliver_done(EditId id, LiveEdit& edit, const EditResult* result);
  void apply(const std::string& label, Json workspace_edit);
  Json workspace_edit(const Document& document, const std::vector<TextEdit>& edits) const;
  void forget_if_over(EditId id);

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  const ModelStatus& model_;
  Usage& usage_;
  ClientCapabilities client_;
  std::map<EditId, LiveEdit> edits_;
};

}  // namespace redraft::lsp
