#include "lsp/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "decoding/decoder_name.h"
#include "lsp/features/code_actions.h"
#include "lsp/wire/convert.h"
#include "lsp/wire/version.h"
#include "workspace/documents/file_uri.h"

namespace redraft::lsp {
namespace {

// What happens to files in the editor is known here before the file system tells.
Json workspace_capabilities() {
  const Json all_files = {{"filters", {{{"scheme", "file"}, {"pattern", {{"glob", "**/*"}}}}}}};
  return {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}},
          {"fileOperations",
           {{"didCreate", all_files}, {"didRename", all_files}, {"didDelete", all_files}}}};
}

const Json kCompletionOptions = {{"resolveProvider", true}};

Json server_capabilities(const ClientCapabilities& client, bool menu) {
  Json capabilities = {
      {"positionEncoding", to_string(client.encoding)},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"workspace", workspace_capabilities()},
      {"codeActionProvider",
       {{"codeActionKinds", {"quickfix", "refactor.rewrite"}},
        {"resolveProvider", true},
        {"workDoneProgress", false}}},
      {"executeCommandProvider",
       {{"commands",
         {kEditCommand, kCancelCommand, kAcceptedCommand, kNextEditAcceptedCommand,
          kNextEditRejectedCommand}},
        {"workDoneProgress", true}}},
      {"experimental", {{"redraft", {{"streamedEdits", true}, {"protocol", kProtocolVersion}}}}}};
  if (client.inline_completion) capabilities["inlineCompletionProvider"] = Json::object();
  if (menu) capabilities["completionProvider"] = kCompletionOptions;
  return capabilities;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
}

// A file of so many bytes is edited as a whole where nothing is selected.
constexpr std::size_t kSmallFile = 3000;

Result<EditScope> choose_scope(const std::optional<std::string>& name,
                               const std::optional<ByteRange>& range, const Document& document) {
  if (!name) return default_scope(range);
  if (*name == kAutomaticScope) {
    const bool small = document.text().size() <= kSmallFile;
    return small && range && range->empty() ? EditScope::kFile : default_scope(range);
  }
  if (*name == "file") return EditScope::kFile;
  if (*name == "symbol") return EditScope::kSymbol;
  if (*name != "selection")
    return Error("unknown scope \"" + *name + "\": use selection, symbol, file or auto");
  if (!range || range->empty()) return Error("scope \"selection\" needs a range that is not empty");
  return EditScope::kSelection;
}

Result<EditRequest> to_request(const EditParams& params, std::shared_ptr<const Document> document,
                               Encoding encoding, int max_tokens) {
  if (is_blank(params.instruction)) return Error("the instruction is blank: say what to change");
  Result<DecoderName> decoder = parse_decoder_name(params.decoder);
  if (!decoder) return decoder.error();
  std::optional<ByteRange> range;
  if (params.range) range = to_bytes(*document, *params.range, encoding);
  const Result<EditScope> scope = choose_scope(params.scope, range, *document);
  if (!scope) return scope.error();
  return EditRequest{
      .document = std::move(document),
      .instruction = params.instruction,
      .range = range,
      .scope = *scope,
      .decoder = std::move(*decoder),
      .max_new_tokens = params.max_new_tokens > 0 ? params.max_new_tokens : max_tokens};
}

}  // namespace

Server::Server(std::shared_ptr<EngineHost> host, const Post& post, Connection::Link link,
               std::function<void(int)> on_exit, IndexFactories index,
               std::filesystem::path usage_file)
    : connection_(std::make_shared<Connection>(std::move(link))),
      on_exit_(std::move(on_exit)),
      dispatcher_(connection_),
      configuration_(connection_, [this](const Settings& before) { apply_settings(before); }),
      model_(connection_, [this] { status_.tell(); }),
      status_(connection_, model_),
      usage_(std::move(usage_file)),
      workspace_(std::move(host), post, observer()) {
  feed_ = std::make_unique<EditFeed>(connection_, workspace_, model_, usage_.now());
  indexes_ = std::make_unique<Indexes>(connection_, workspace_, std::move(index));
  status_.add([this](StatusReport::Reasons& reasons) { add_reasons(reasons); });
  completions_ = std::make_unique<CompletionFeed>(workspace_, usage_.now());
  next_edits_ = std::make_unique<NextEditFeed>(workspace_, usage_.now());
  bind_handlers();
  bind_document_handlers();
}

void Server::bind_document_handlers() {
  dispatcher_.on("textDocument/didOpen", this, &Server::did_open);
  dispatcher_.on("textDocument/didChange", this, &Server::did_change);
  dispatcher_.on("textDocument/didClose", this, &Server::did_close);
  dispatcher_.on("textDocument/didSave", this, &Server::did_save);
  dispatcher_.on("workspace/didChangeWatchedFiles", this, &Server::did_change_watched_files);
  dispatcher_.on("workspace/didCreateFiles", this, &Server::did_create_files);
  dispatcher_.on("workspace/didRenameFiles", this, &Server::did_rename_files);
  dispatcher_.on("workspace/didDeleteFiles", this, &Server::did_delete_files);
}

void Server::bind_handlers() {
  dispatcher_.on("initialize", this, &Server::initialize);
  dispatcher_.on("initialized", this, &Server::initialized);
  dispatcher_.on("shutdown", this, &Server::shutdown);
  dispatcher_.on("exit", this, &Server::exit);
  dispatcher_.on("$/setTrace", this, &Server::set_trace);
  dispatcher_.on("workspace/didChangeConfiguration", this, &Server::did_change_configuration);
  dispatcher_.on("workspace/didChangeWorkspaceFolders", this,
                 &Server::did_change_workspace_folders);
  dispatcher_.on("textDocument/codeAction", this, &Server::code_action);
  dispatcher_.on("codeAction/resolve", this, &Server::resolve_code_action);
  CompletionFeed* completions = completions_.get();
  dispatcher_.on("textDocument/inlineCompletion", completions, &CompletionFeed::inline_completion);
  dispatcher_.on("textDocument/completion", completions, &CompletionFeed::menu_completion);
  dispatcher_.on("completionItem/resolve", completions, &CompletionFeed::resolve);
  dispatcher_.on("textDocument/didShowCompletion", completions, &CompletionFeed::shown);
  dispatcher_.on("textDocument/didPartiallyAcceptCompletion", completions,
                 &CompletionFeed::accepted_partially);
  for (const char* method : {"redraft/nextEdit", "textDocument/copilotInlineEdit"})
    dispatcher_.on(method, next_edits_.get(), &NextEditFeed::next_edit);
  dispatcher_.on("textDocument/didFocus", this, &Server::did_focus);
  dispatcher_.on("workspace/executeCommand", this, &Server::execute_command);
  dispatcher_.on("redraft/resolveEdit", this, &Server::resolve_edit);
  dispatcher_.on("redraft/status", this, &Server::status);
  dispatcher_.on("window/workDoneProgress/cancel", this, &Server::cancel_progress);
}

WorkspaceObserver Server::observer() {
  return {.on_hunk = [this](EditId id, const LiveHunk& live) { feed_->on_hunk(id, live); },
          .on_hunks_changed =
              [this](EditId id, const std::vector<LiveHunk>& hunks) {
                feed_->on_hunks_changed(id, hunks);
              },
          .on_progress = [this](EditId id,
                                const EditProgress& progress) { feed_->on_progress(id, progress); },
          .on_end = [this](EditId id, EditOutcome outcome, const EditResult* result,
                           const std::string& error) { feed_->on_end(id, outcome, result, error); },
          .on_over = [this](EditId id) { feed_->on_over(id); },
          // Other clients of the model may have it loaded before this one may be told anything.
          .on_engine =
              [this](const EngineStatus& status) {
                if (dispatcher_.lifecycle() == Dispatcher::Lifecycle::kServing)
                  model_.on_engine(status);
              },
          .on_index =
              [this](const IndexStatus& status) {
                indexes_->on_index(status);
                if (status.state == IndexStatus::State::kFailed) status_.tell_changes();
              },
          .on_common = [this](const IndexStatus& status) { indexes_->on_common(status); }};
}

void Server::initialize(const InitializeParams& params, Reply reply) {
  client_ = params.capabilities;
  client_process_ = params.process_id;
  model_.set_capabilities(client_);
  indexes_->set_capabilities(client_);
  indexes_->change_folders(params.folders, {});
  feed_->set_capabilities(client_);
  completions_->set_capabilities(client_);
  next_edits_->set_encoding(client_.encoding);
  dispatcher_.set_lifecycle(Dispatcher::Lifecycle::kServing);
  spdlog::info("client {}, positions in {}, streamed edits {}",
               params.client_name.empty() ? "without a name" : params.client_name,
               to_string(client_.encoding), client_.streamed_edits);
  configuration_.begin(client_, params.options);
  menu_offered_ = wants_menu();
  reply({{"capabilities", server_capabilities(client_, menu_offered_)},
         {"serverInfo", {{"name", "redraft"}, {"version", kServerVersion}}}});
  connection_->tracer().set_level(params.trace);
  status_.begin(client_);
  apply_settings(settings());
  if (const EngineStatus& engine = workspace_.engine_status();
      engine.state == EngineStatus::State::kLoading || engine.state == EngineStatus::State::kReady)
    model_.on_engine(engine);
}

void Server::initialized(const NoParams&) { configuration_.client_ready(); }

void Server::did_change_configuration(const DidChangeConfigurationParams& params) {
  configuration_.changed(params);
}

// Whoever depends on settings has its line here. What compares nothing needs no `before`.
void Server::apply_settings(const Settings& /*before*/) {
  // A client that is about to say it wants no index gets none for that moment either.
  if (!configuration_.waits()) indexes_->follow(settings());
  completions_->set_settings(settings().completion, wants_menu());
  next_edits_->set_enabled(settings().next_edit.enabled);
  if (client_.completion_registration && wants_menu() && !std::exchange(menu_offered_, true))
    offer_menu();
  status_.tell_changes();
}

// Both forms at once would show the same twice.
bool Server::wants_menu() const {
  const CompletionMenu menu = settings().completion.menu;
  return menu == CompletionMenu::kAlways ||
         (menu == CompletionMenu::kAuto && !client_.inline_completion);
}

void Server::offer_menu() {
  const Json registration = {{"id", "redraft-completion"},
                             {"method", "textDocument/completion"},
                             {"registerOptions", kCompletionOptions}};
  connection_->request("client/registerCapability",
                       {{"registrations", Json::array({registration})}}, [](const Json*) {});
}

void Server::did_change_workspace_folders(const DidChangeWorkspaceFoldersParams& params) {
  indexes_->change_folders(params.added, params.removed);
  apply_settings(settings());
}

void Server::set_trace(const SetTraceParams& params) {
  connection_->tracer().set_level(params.level);
}

void Server::add_reasons(StatusReport::Reasons& reasons) const {
  if (!client_.streamed_edits && !client_.apply_edit) {
    reasons.push_back(
        "Edits by command are off: the editor announces neither workspace.applyEdit nor streamed "
        "edits.");
  }
  if (configuration_.waits()) {
    reasons.push_back("The index waits for the editor's settings (workspace/configuration).");
  } else if (std::string why = indexes_->why_off(settings()); !why.empty()) {
    reasons.push_back(std::move(why));
  }
  if (!settings().completion.enabled)
    reasons.push_back("Completion is off (redraft.completion.enabled).");
  if (!settings().next_edit.enabled)
    reasons.push_back("Next edits are off (redraft.nextEdit.enabled).");
  for (const auto& [language, on] : settings().completion.languages) {
    if (!settings().completion.enabled || on) continue;
    const std::string which = language == "*" ? "languages that are not named" : language;
    reasons.push_back("Completion is off for " + which + " (redraft.completion.languages).");
  }
}

void Server::shutdown(const NoParams&, Reply reply) {
  reply(nullptr);
  dispatcher_.set_lifecycle(Dispatcher::Lifecycle::kShutDown);
  stop();
}

void Server::exit(const NoParams&) { on_exit_(shut_down() ? 0 : 1); }

void Server::stop() {
  workspace_.cancel_all();
  dispatcher_.cancel_all();
  usage_.save();
}

void Server::report_malformed(const Error& error) {
  connection_->respond_error(nullptr, ErrorCode::kParseError, error.message());
}

// An open that cannot be read must not leave a text here that was open under the same name.
void Server::did_open(const Json& json) {
  const auto uri = json.at("textDocument").at("uri").get<std::string>();
  Result<void> opened;
  try {
    const auto params = json.get<DidOpenParams>();
    opened = workspace_.open(uri, params.version, params.text, params.language_id);
  } catch (const std::exception& failure) {
    workspace_.close(uri, "the document was opened anew");
    opened = Error("the editor sent it in a form that cannot be read (" + reason(failure) + ")");
  }
  if (!opened) refuse_document(opened.error());
}

// A change that is lost would leave a text here that is not the client's, and every later change
// and edit would go to the wrong place. So the document is given up until it is opened anew.
void Server::did_change(const Json& params) {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  const std::shared_ptr<const Document> document = workspace_.document(uri);
  if (document == nullptr) {
    spdlog::warn("a change of a document that is not open");
    return;
  }
  const Result<void> taken = take_change(params, *document);
  if (taken) return;
  if (workspace_.document(uri) != nullptr) workspace_.close(uri, taken.error().message());
  refuse_document(taken.error());
}

Result<void> Server::take_change(const Json& json, const Document& document) {
  DidChangeParams params;
  try {
    json.get_to(params);
  } catch (const std::exception& failure) {
    return Error("the editor sent a change that cannot be read (" + reason(failure) +
                 "); close the file and open it anew");
  }
  const bool is_last = document.version() == std::numeric_limits<std::int64_t>::max();
  const std::int64_t version =
      params.version ? *params.version : document.version() + (is_last ? 0 : 1);
  if (version <= document.version()) {
    return Error("the editor sent a change to version " + std::to_string(version) +
                 " of a text that is at version " + std::to_string(document.version()) +
                 "; close the file and open it anew");
  }
  const std::vector<TextEdit> edits = to_edits(document, params.changes, client_.encoding);
  return workspace_.change(params.uri, version, edits);
}

void Server::refuse_document(const Error& error) {
  spdlog::warn("a document cannot be edited: {}", error.message());
  connection_->show_message(MessageType::kWarning,
                            "redraft cannot edit this file: " + error.message());
}

void Server::did_close(const DidCloseParams& params) { workspace_.close(params.uri); }

void Server::did_save(const DidSaveParams& params) { files_changed({params.uri}); }

void Server::did_change_watched_files(const DidChangeWatchedFilesParams& params) {
  files_changed(params.uris);
}

void Server::did_create_files(const FileOperationParams& params) { files_changed(params.uris); }

// Editors close a document under its old name and open it under the new one, before this or after.
void Server::did_rename_files(const FileOperationParams& params) {
  for (const std::string& uri : params.old_uris)
    workspace_.end_edits_within(uri, "the file was renamed");
  files_changed(params.uris);
}

void Server::did_delete_files(const FileOperationParams& params) {
  for (const std::string& uri : params.uris)
    workspace_.end_edits_within(uri, "the file was deleted");
  files_changed(params.uris);
}

void Server::files_changed(const std::vector<std::string>& uris) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& uri : uris) {
    if (const auto path = path_of_uri(uri)) paths.push_back(*path);
  }
  workspace_.files_changed(paths);
}

void Server::code_action(const CodeActionParams& params, Reply reply) {
  const std::shared_ptr<const Document> document = workspace_.document(params.uri);
  Json actions = document
                     ? code_actions(params, *document, client_)
                     : disabled_actions(params, workspace_.why_not(params.uri).message(), client_);
  if (params.partial_result_token) {
    connection_->notify("$/progress", {{"token", *params.partial_result_token},
                                       {"value", std::exchange(actions, Json::array())}});
  }
  reply(std::move(actions));
}

void Server::resolve_code_action(const CodeAction& action, Reply reply) {
  const std::optional<EditId> id = start_edit(action.data, reply);
  if (!id) return;
  reply.on_cancel([this, id = *id] { workspace_.cancel(id); });
  feed_->start(
      *id, {.reply = reply, .action = action.json, .progress = edit_progress(std::nullopt, false)});
}

void Server::did_focus(const FocusParams& params) {
  if (params.uri) workspace_.focus(*params.uri);
}

void Server::execute_command(const ExecuteCommandParams& params, Reply reply) {
  if (params.command == kAcceptedCommand) {
    const Json& id = params.argument.is_object() ? params.argument.value("id", Json()) : Json();
    completions_->accepted(id.is_number_integer() ? id.get<std::int64_t>() : 0);
    reply(nullptr);
  } else if (params.command == kNextEditAcceptedCommand ||
             params.command == kNextEditRejectedCommand) {
    next_edits_->decided(params.argument, params.command == kNextEditAcceptedCommand);
    reply(nullptr);
  } else if (params.command != kEditCommand && params.command != kCancelCommand) {
    reply.fail(ErrorCode::kInvalidParams, "this server has no command " + params.command);
  } else if (!params.argument.is_object()) {
    reply.fail(ErrorCode::kInvalidParams, params.command + " takes one argument, an object");
  } else if (params.command == kEditCommand) {
    Dispatcher::with_params<EditParams>(params.argument, reply, [&](const EditParams& edit) {
      edit_command(edit, params.work_done_token, reply);
    });
  } else {
    Dispatcher::with_params<EditIdParams>(params.argument, reply, [&](const EditIdParams& edit) {
      reply({{"cancelled", workspace_.cancel(edit.edit_id)}});
    });
  }
}

void Server::edit_command(const EditParams& params, const std::optional<Json>& progress_token,
                          const Reply& reply) {
  if (!client_.streamed_edits && !client_.apply_edit) {
    reply.fail(ErrorCode::kRequestFailed,
               "the client announces neither workspace.applyEdit nor streamed edits: use the code "
               "actions instead");
    return;
  }
  const std::optional<EditId> id = start_edit(params, reply);
  if (!id) return;
  reply({{"editId", *id}});
  feed_->start(*id, {.reply = std::nullopt,
                     .action = {},
                     .progress = edit_progress(progress_token, client_.streamed_edits)});
}

std::optional<EditId> Server::start_edit(const EditParams& params, const Reply& reply) {
  const std::shared_ptr<const Document> document = workspace_.document(params.uri);
  if (document == nullptr) {
    reply.fail(ErrorCode::kInvalidParams,
               "the document is not open, or not one that can be edited: " + params.uri);
    return std::nullopt;
  }
  if (params.version && *params.version != document->version()) {
    reply.fail(ErrorCode::kContentModified,
               "the document is at version " + std::to_string(document->version()) +
                   ", the request is about version " + std::to_string(*params.version));
    return std::nullopt;
  }
  Result<EditRequest> request =
      to_request(params, document, client_.encoding, settings().edit.max_tokens);
  if (!request) {
    reply.fail(ErrorCode::kInvalidParams, request.error().message());
    return std::nullopt;
  }
  const Result<EditId> id = workspace_.edit(params.uri, document->version(), std::move(*request));
  if (!id) {
    reply.fail(ErrorCode::kRequestFailed, id.error().message());
    return std::nullopt;
  }
  return *id;
}

std::shared_ptr<WorkDoneProgress> Server::edit_progress(const std::optional<Json>& token,
                                                        bool streamed) {
  const WorkDoneProgress::Title title = {
      .text = "redraft: editing", .cancellable = true, .has_fraction = true};
  if (token) return WorkDoneProgress::on_token(connection_, *token, title);
  // A client that streams shows its own progress.
  if (streamed || !client_.work_done_progress) return nullptr;
  return WorkDoneProgress::create(connection_, title);
}

void Server::resolve_edit(const ResolveEditParams& params, Reply reply) {
  feed_->resolve(params, reply);
}

void Server::status(const NoParams&, Reply reply) {
  Json status = status_.json();
  status["index"] = indexes_->repository_json();
  status["common"] = indexes_->common_json();
  status["completion"] = completions_->json();
  status["nextEdit"] = next_edits_->json();
  reply(std::move(status));
}

void Server::cancel_progress(const ProgressCancelParams& params) {
  feed_->cancel_progress(params.token);
}

}  // namespace redraft::lsp
