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

// The settings in force and where they come from: first `initializationOptions.redraft`, then the
// client's answer to workspace/configuration or, if it does not support that request, what it sends
// with workspace/didChangeConfiguration. Main thread.
class Configuration {
 public:
  // `on_change` runs whenever the client has sent its settings, even unchanged ones.
  Configuration(std::shared_ptr<Connection> connection, std::function<void()> on_change)
      : connection_(std::move(connection)), on_change_(std::move(on_change)) {}

  const Settings& settings() const { return settings_; }
  // Whether the user chose the decoder. In some editors a workspace file sets settings, which must
  // not select a lossy decoder.
  bool user_chose_decoder() const {
    return client_.user_settings || settings_.decoder == initial_.decoder;
  }
  // Whether the client's answer is outstanding: the request has been or will be sent.
  bool waits() const { return waits_; }

  // With `initialize`; does not call `on_change`.
  void begin(const ClientCapabilities& client, const Json& options);
  // With `initialized`.
  void client_ready();
  // With `workspace/didChangeConfiguration`. Requests the settings from a client that supports it,
  // because some send nothing here, or only a part.
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
