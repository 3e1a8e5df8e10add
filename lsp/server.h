#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lsp/features/client_versions.h"
#include "lsp/features/decoder_choice.h"
#include "lsp/features/edit_feed.h"
#include "lsp/features/feature.h"
#include "lsp/features/feature_registry.h"
#include "lsp/features/indexes.h"
#include "lsp/features/quiet.h"
#include "lsp/features/unread_messages.h"
#include "lsp/settings/configuration.h"
#include "lsp/settings/settings.h"
#include "lsp/status/model_status.h"
#include "lsp/status/now.h"
#include "lsp/status/status_report.h"
#include "lsp/status/taken_back.h"
#include "lsp/status/usage.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/dispatcher.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The language server without its transport: one message in, messages out through the link. It
// constructs the features and keeps the lifecycle; the features define what a client can request
// (lsp/features). All calls happen on one thread, the one that `post` leads to; the model works on
// the Workspace's own threads.
class Server {
 public:
  using Folders = Indexes::Folders;
  using IndexFactories = Indexes::Factories;

  // `on_exit` gets the exit code when the client sends `exit`. `usage_file` may be empty: see
  // UsageLog. `now` tells the time where suggestions depend on it.
  Server(std::shared_ptr<EngineHost> host, const Post& post, Connection::Link link,
         std::function<void(int)> on_exit, IndexFactories index = {},
         std::filesystem::path usage_file = {}, Now now = std::chrono::steady_clock::now);

  void receive(std::string_view content) { receive(read_message(content)); }
  void receive(ReceivedMessage message);
  // A message that was too long to read: only its outline is known.
  void receive_unread(const UnreadMessage& message) {
    unread_.take(message, dispatcher_.lifecycle() == Dispatcher::Lifecycle::kServing);
  }
  // Stops all work; pending requests are answered with RequestCancelled.
  void stop();
  // The indexes, whose destruction may take a while because their threads have to end first.
  std::vector<IndexSlot> take_indexes() { return workspace_.take_indexes(); }
  // For bytes that are not a message.
  void report_malformed(const Error& error);
  bool serving() const { return dispatcher_.lifecycle() == Dispatcher::Lifecycle::kServing; }
  bool shut_down() const { return dispatcher_.lifecycle() == Dispatcher::Lifecycle::kShutDown; }
  // The process that started us, once `initialize` has named it.
  std::optional<std::int64_t> client_process() const { return client_process_; }
  // The settings in force.
  const Settings& settings() const { return configuration_.settings(); }
  // What the features have registered, once `initialize` has been answered.
  const FeatureRegistry& registry() const { return registry_; }

 private:
  void initialize(const InitializeParams& params, Reply reply);
  void initialized(const NoParams& params);
  void shutdown(const NoParams& params, Reply reply);
  void exit(const NoParams& params);
  void set_trace(const SetTraceParams& params);
  void did_change_configuration(const DidChangeConfigurationParams& params);

  void make_features(IndexFactories index, Now now);
  void count_read_ahead(const Engine::ReadAheadWork& work);
  void follow_settings();
  WorkspaceObserver observer();

  std::shared_ptr<Connection> connection_;
  std::function<void(int)> on_exit_;
  std::optional<std::int64_t> client_process_;
  Dispatcher dispatcher_;
  FeatureRegistry registry_;
  Configuration configuration_;
  ModelStatus model_;
  StatusReport status_;
  UsageLog usage_;
  TakenBack taken_back_;
  ClientVersions versions_;
  EditFeed edit_feed_;
  DecoderChoice* decoder_ = nullptr;                // one of the features
  Quiet* quiet_ = nullptr;                          // likewise
  Indexes* indexes_ = nullptr;                      // likewise
  std::vector<std::unique_ptr<Feature>> features_;  // in the order in which they register
  UnreadMessages unread_;
  Workspace workspace_;  // last: it calls into the members above
};

}  // namespace redraft::lsp
