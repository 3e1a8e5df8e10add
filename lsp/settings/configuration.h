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

// The settings in force, and where they come from: `initializationOptions.redraft` first; on top of
// them what the client answers to workspace/configuration or, if it cannot be asked, sends with
// workspace/didChangeConfiguration. Main thread.
class Configuration {
 public:
  // `on_change` runs whenever the client has sent its settings, even unchanged ones.
  Configuration(std::shared_ptr<Connection> connection, std::function<void()> on_change)
      : connection_(std::move(connection)), on_change_(std::move(on_change)) {}

  const Settings& settings() const { return settings_; }
  // Whether the user alone has chosen the decoder: in some editors a file of the workspace sets
  // settings, and must not make a lossy one write.
  bool user_chose_decoder() const {
    return client_.user_settings || settings_.decoder == initial_.decoder;
  }
  // Whether the client's answer is outstanding: it has been or will be asked.
  bool waits() const { return waits_; }

  // With `initialize`; does not call `on_change`.
  void begin(const ClientCapabilities& client, const Json& options);
  // With `initialized`.
  void client_ready();
  // With `workspace/didChangeConfiguration`. A client that can be asked is asked: some send nothing
  // here, or only a part.
  void changed(const DidChangeConfigurationParams& params);

 private:
  void pull();
  void take(const Json& section);
  void keep_from_workspaces(ReadSettings& read) const;
  void report(const std::vector<std::string>& problems);

  std::shared_ptr<Connection> connection_;
  std::function<void()> on_change_;
  ClientCapabilities client_;
  Settings initial_;   // from the initializationOptions
  Settings settings_;  // with what the client sent later
  bool waits_ = false;
  std::int64_t last_pull_ = 0;        // only the newest answer counts
  std::set<std::string> reported_;    // problems that the user knows of and that persist
  std::set<std::string> of_options_;  // those of the initializationOptions persist
};

}  // namespace redraft::lsp
