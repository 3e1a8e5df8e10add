#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "lsp/status/index_status.h"
#include "lsp/status/status_report.h"
#include "lsp/wire/connection.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Keeps the indexes that the settings and the workspace's folders call for, and reports on them.
// Main thread.
class Indexes : public Feature {
 public:
  using Folders = std::vector<std::filesystem::path>;
  // Functions that make the indexes; without one, nothing is indexed.
  struct Factories {
    std::function<RepositoryIndexer::MakeIndex(const Folders&)> of_workspace;
    // Indexes the packages installed in a workspace, if `dependencies`, and other folders.
    std::function<RepositoryIndexer::MakeIndex(const Folders& workspace, bool dependencies,
                                               const Folders& others)>
        of_common_code;
    // Other folders that the user named: absolute, below the home folder ("~/a"), or below the
    // first folder of the workspace. They never come from a client, whose settings may come from a
    // workspace.
    std::vector<std::string> common_folders = {};
  };

  Indexes(const std::shared_ptr<Connection>& connection, Workspace& workspace,
          const Configuration& configuration, StatusReport& report, Factories make)
      : workspace_(workspace),
        configuration_(configuration),
        report_(report),
        make_(std::move(make)),
        repository_(connection, "the workspace"),
        common_(connection, "common code") {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  // Starts, replaces and drops indexes until they match the settings. Waits while the client may
  // still say that it wants none.
  void follow_settings() override;
  void add_reasons(Reasons& reasons) const override;
  // The entries are null for indexes that do not exist.
  void add_status(Json& status) const override;

  // Called by the Workspace.
  void on_index(const IndexStatus& status);
  void on_common(const IndexStatus& status) { common_.on_index(status); }

 private:
  void did_change_workspace_folders(const DidChangeWorkspaceFoldersParams& params);
  // These are URIs.
  void change_folders(const std::vector<std::string>& added,
                      const std::vector<std::string>& removed);
  // Why there is no working index of the workspace; empty if there is one.
  std::string why_off() const;

  // The sources of an index of common code.
  struct CommonCode {
    Folders workspace;
    bool dependencies = false;
    Folders others;
    friend bool operator==(const CommonCode&, const CommonCode&) = default;
  };

  void follow_repository(const Settings& settings, const Folders& folders);
  void follow_common(const Settings& settings, const Folders& folders);

  Workspace& workspace_;
  const Configuration& configuration_;
  StatusReport& report_;
  Factories make_;
  IndexReporter repository_, common_;
  std::vector<std::string> folders_;  // URIs
  // What the existing indexes were made for; empty if there is no index.
  std::optional<Folders> indexed_;
  std::optional<CommonCode> indexed_common_;
};

}  // namespace redraft::lsp
