#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "lsp/features/completion_feed.h"
#include "lsp/features/edit_feed.h"
#include "lsp/features/next_edit_feed.h"
#include "lsp/indexes.h"
#include "lsp/settings/configuration.h"
#include "lsp/settings/settings.h"
#include "lsp/status/model_status.h"
#include "lsp/status/status_report.h"
#include "lsp/status/usage.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/dispatcher.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The language server without its transport: one message in, messages out through the link.
// Everything happens on one thread, the one that `post` leads to; the model works on the
// Workspace's own.
class Server {
 public:
  using Folders = Indexes::Folders;
  using IndexFactories = Indexes::Factories;

  // `on_exit` gets the exit code when the client says `exit`. `usage_file` may be empty: see
  // UsageLog.
  Server(std::shared_ptr<EngineHost> host, const Post& post, Connection::Link link,
         std::function<void(int)> on_exit, IndexFactories index = {},
         std::filesystem::path usage_file = {});

  void receive(std::string_view content) {
    dispatcher_.receive(content);
    usage_.save_if_due();
  }
  // Stops all work; what waits for an answer gets RequestCancelled.
  void stop();
  // What is left to go when the server does, and may take a while: its threads end first.
  std::vector<IndexSlot> take_indexes() { return workspace_.take_indexes(); }
  // For bytes that are no message.
  void report_malformed(const Error& error);
  bool shut_down() const { return dispatcher_.lifecycle() == Dispatcher::Lifecycle::kShutDown; }
  // The process that started us, once `initialize` has named it.
  std::optional<std::int64_t> client_process() const { return client_process_; }
  // Those in force.
  const Settings& settings() const { return configuration_.settings(); }

 private:
  void initialize(const InitializeParams& params, Reply reply);
  void initialized(const NoParams& params);
  void shutdown(const NoParams& params, Reply reply);
  void exit(const NoParams& params);
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_close(const DidCloseParams& params);
  void did_save(const DidSaveParams& params);
  void did_change_watched_files(const DidChangeWatchedFilesParams& params);
  void did_create_files(const FileOperationParams& params);
  void did_rename_files(const FileOperationParams& params);
  void did_delete_files(const FileOperationParams& params);
  void did_change_workspace_folders(const DidChangeWorkspaceFoldersParams& params);
  void did_change_configuration(const DidChangeConfigurationParams& params);
  void set_trace(const SetTraceParams& params);
  void code_action(const CodeActionParams& params, Reply reply);
  void resolve_code_action(const CodeAction& action, Reply reply);
  void did_focus(const FocusParams& params);
  void execute_command(const ExecuteCommandParams& params, Reply reply);
  void resolve_edit(const ResolveEditParams& params, Reply reply);
  void status(const NoParams& params, Reply reply);
  void cancel_progress(const ProgressCancelParams& params);

  void bind_handlers();
  // Whether completions belong into the ordinary menu.
  bool wants_menu() const;
  void offer_menu();
  void bind_document_handlers();
  // The settings were other ones (or may have been): all that depends on them follows, at once.
  void apply_settings(const Settings& before);
  void add_reasons(StatusReport::Reasons& reasons) const;
  void files_changed(const std::vector<std::string>& uris);
  WorkspaceObserver observer();
  // An error: the text here is no longer the one the client has, or none that can be edited.
  Result<void> take_change(const Json& params, const Document& document);
  void refuse_document(const Error& error);
  void edit_command(const EditParams& params, const std::optional<Json>& progress_token,
                    const Reply& reply);
  // Starts the edit; none when it was refused, and `reply` answered.
  std::optional<EditId> start_edit(const EditParams& params, const Reply& reply);
  std::shared_ptr<WorkDoneProgress> edit_progress(const std::optional<Json>& token, bool streamed);

  std::shared_ptr<Connection> connection_;
  std::function<void(int)> on_exit_;
  ClientCapabilities client_;
  bool menu_offered_ = false;
  std::optional<std::int64_t> client_process_;
  Dispatcher dispatcher_;
  Configuration configuration_;
  ModelStatus model_;
  StatusReport status_;
  UsageLog usage_;
  std::unique_ptr<EditFeed> feed_;
  std::unique_ptr<Indexes> indexes_;
  std::unique_ptr<CompletionFeed> completions_;
  std::unique_ptr<NextEditFeed> next_edits_;
  Workspace workspace_;  // last: it calls into the members above
};

}  // namespace redraft::lsp
