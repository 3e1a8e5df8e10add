#include "lsp/server.h"

#include <cmath>
#include <utility>
#include <variant>

#include "lsp/features/completion_feed.h"
#include "lsp/features/document_sync.h"
#include "lsp/features/edit_feature.h"
#include "lsp/features/model_choices.h"
#include "lsp/features/next_edit_feed.h"
#include "lsp/features/status_feature.h"
#include "lsp/wire/version.h"
#include "support/log/log.h"

namespace redraft::lsp {

Server::Server(std::shared_ptr<EngineHost> host, const Post& post, Connection::Link link,
               std::function<void(int)> on_exit, IndexFactories index,
               std::filesystem::path usage_file, Now now)
    : connection_(std::make_shared<Connection>(std::move(link))),
      on_exit_(std::move(on_exit)),
      dispatcher_(connection_),
      registry_(dispatcher_),
      configuration_(connection_, [this] { follow_settings(); }),
      model_(connection_, [this] { status_.tell(); }),
      status_(connection_, model_),
      usage_(std::move(usage_file)),
      taken_back_(usage_.now(), now),
      edit_feed_(connection_, workspace_, model_, usage_.now(), taken_back_, versions_),
      unread_(connection_, workspace_),
      workspace_(std::move(host), post, observer()) {
  dispatcher_.on("initialize", this, &Server::initialize);
  dispatcher_.on("exit", this, &Server::exit);
  make_features(std::move(index), std::move(now));
}

void Server::receive(ReceivedMessage message) {
  if (const auto* unread = std::get_if<UnreadMessage>(&message.content)) {
    receive_unread(*unread);
  } else {
    dispatcher_.receive(std::move(message));
  }
  usage_.save_if_due();
}

void Server::make_features(IndexFactories index, Now now) {
  const auto add = [this](auto feature) {
    auto* added = feature.get();
    features_.push_back(std::move(feature));
    return added;
  };
  quiet_ = add(std::make_unique<Quiet>(status_, std::move(now)));
  decoder_ = add(std::make_unique<DecoderChoice>(connection_, workspace_, configuration_));
  add(std::make_unique<DocumentSync>(connection_, workspace_, versions_));
  add(std::make_unique<EditFeature>(connection_, workspace_, configuration_, edit_feed_,
                                    versions_));
  add(std::make_unique<ModelChoices>(workspace_, configuration_));
  indexes_ = add(std::make_unique<Indexes>(connection_, workspace_, configuration_, status_,
                                           std::move(index)));
  add(std::make_unique<CompletionFeed>(connection_, workspace_, configuration_, *decoder_,
                                       usage_.now(), *quiet_, taken_back_));
  add(std::make_unique<NextEditFeed>(workspace_, configuration_, *decoder_, usage_.now(), *quiet_,
                                     taken_back_, versions_));
  std::vector<const Feature*> others;
  for (const auto& feature : features_) others.push_back(feature.get());
  add(std::make_unique<StatusFeature>(status_, std::move(others)));
}

WorkspaceObserver Server::observer() {
  return {
      .on_hunk = [this](EditId id, const LiveHunk& live) { edit_feed_.on_hunk(id, live); },
      .on_hunks_changed =
          [this](EditId id, const std::vector<LiveHunk>& hunks) {
            edit_feed_.on_hunks_changed(id, hunks);
          },
      .on_region = [this](EditId id, const Document& document,
                          ByteRange region) { edit_feed_.on_region(id, document, region); },
      .on_places = [this](
                       EditId id, const Document& document,
                       const ChosenPlaces& places) { edit_feed_.on_places(id, document, places); },
      .on_progress = [this](EditId id,
                            const EditProgress& news) { edit_feed_.on_progress(id, news); },
      .on_end =
          [this](EditId id, EditOutcome outcome, const EditResult* result,
                 const std::string& error) {
            if (result) decoder_->count(result->statistics);
            edit_feed_.on_end(id, outcome, result, error);
          },
      .on_over = [this](EditId id) { edit_feed_.on_over(id); },
      // Another client may have loaded the model before this client is ready to be told anything.
      .on_engine =
          [this](const EngineStatus& status) {
            if (dispatcher_.lifecycle() == Dispatcher::Lifecycle::kServing)
              model_.on_engine(status);
          },
      .on_index = [this](const IndexStatus& status) { indexes_->on_index(status); },
      .on_common = [this](const IndexStatus& status) { indexes_->on_common(status); },
      .on_changed =
          [this](const Document& now, const std::vector<BufferChange>& changes) {
            taken_back_.changed(now);
            if (changes.empty()) return;
            const std::size_t end = changes.back().range.begin + changes.back().new_size;
            quiet_->changed(now.uri(), now.lines().line_of(end));
          },
      .on_read_ahead = [this](const Engine::ReadAheadWork& work) { count_read_ahead(work); }};
}

void Server::initialize(const InitializeParams& params, Reply reply) {
  const ClientCapabilities& client = params.capabilities;
  client_process_ = params.process_id;
  dispatcher_.set_lifecycle(Dispatcher::Lifecycle::kServing);
  logging::info("client {}, positions in {}, streamed edits {}",
                params.client_name.empty() ? "without a name" : params.client_name,
                to_string(client.encoding), client.streamed_edits);
  model_.set_capabilities(client);
  configuration_.begin(client, params.options);
  registry_.on("initialized", this, &Server::initialized);
  registry_.on("shutdown", this, &Server::shutdown);
  registry_.on("$/setTrace", this, &Server::set_trace);
  registry_.on("workspace/didChangeConfiguration", this, &Server::did_change_configuration);
  registry_.announce("positionEncoding", to_string(client.encoding));
  registry_.announce("experimental", {{"redraft", {{"protocol", kProtocolVersion}}}});
  for (const auto& feature : features_) feature->begin(params, registry_);
  reply({{"capabilities", registry_.capabilities()},
         {"serverInfo", {{"name", "redraft"}, {"version", kServerVersion}}}});
  connection_->tracer().set_level(params.trace);
  follow_settings();
  if (const EngineStatus& engine = workspace_.engine_status();
      engine.state == EngineStatus::State::kLoading || engine.state == EngineStatus::State::kReady)
    model_.on_engine(engine);
  else
    model_.on_engine({.beside = engine.beside});
}

void Server::initialized(const NoParams&) { configuration_.client_ready(); }

void Server::did_change_configuration(const DidChangeConfigurationParams& params) {
  configuration_.changed(params);
}

void Server::follow_settings() {
  for (const auto& feature : features_) feature->follow_settings();
  status_.tell_changes();
}

void Server::set_trace(const SetTraceParams& params) {
  connection_->tracer().set_level(params.level);
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

void Server::count_read_ahead(const Engine::ReadAheadWork& work) {
  usage_.now().count(UsageEvent::kReadAheadTokens, work.tokens);
  usage_.now().count(UsageEvent::kReadAheadMilliseconds, std::llround(1000 * work.seconds));
}

void Server::report_malformed(const Error& error) {
  connection_->respond_error(nullptr, ErrorCode::kParseError, error.message());
}

}  // namespace redraft::lsp
