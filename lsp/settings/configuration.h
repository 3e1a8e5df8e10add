#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lsp/settings/settings.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"

namespace redraft::lsp {

// The settings in force, and where they come from: `initializationOptions.redraft` first; over them
// what the client answers when asked (workspace/configuration), or tells by itself where it cannot
// be asked (workspace/didChangeConfiguration). Main thread.
class Configuration {
 public:
  // `on_change` runs whenever the client has said what it wants, be it the same.
  Configuration(std::shared_ptr<Connection> connection, std::function<void()> on_change)
      : connection_(std::move(connection)), on_change_(std::move(on_change)) {}

  const Settings& settings() const { return settings_; }
  // The client will be asked, or has been, and has not answered yet.
  bool waits() const { return waits_; }

  // With `initialize`; calls nothing back.
  void begin(const ClientCapabilities& client, const Json& options);
  // With `initialized`.
  void client_ready();
  // With `workspace/didChangeConfiguration`. A client that can be asked is asked: some tell nothing
  // here, or only a part.
  void changed(const DidChangeConfigurationParams& params);

 private:
  void pull();
  void take(const Json& section);
  void report(const std::vector<std::string>& problems);

  std::shared_ptr<Connection> connection_;
  std::function<void()> on_change_;
  ClientCapabilities client_;
  Settings initial_;   // of the initializationOptions
  Settings settings_;  // what the client said later over them
  bool waits_ = false;
  std::int64_t last_pull_ = 0;        // only the newest answer counts
  std::set<std::string> reported_;    // problems the user knows of and that have not gone
  std::set<std::string> of_options_;  // those of the initializationOptions stay
};

}  // namespace redraft::lsp
