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

// Keeps the indexes that the settings and the workspace's folders ask for, and tells of them. Main
// thread.
class Indexes : public Feature {
 public:
  using Folders = std::vector<std::filesystem::path>;
  // What makes indexes; without one nothing is indexed.
  struct Factories {
    std::function<RepositoryIndexer::MakeIndex(const Folders&)> of_workspace;
    // Of the packages that are installed in a workspace, if it asks for them, and of other folders.
    std::function<RepositoryIndexer::MakeIndex(const Folders& workspace, bool dependencies,
                                               const Folders& others)>
        of_common_code;
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
  // Starts, replaces and drops indexes until they are the ones asked for. A client that is about to
  // say it wants none gets none for that moment either.
  void follow_settings() override;
  void add_reasons(StatusReport::Reasons& reasons) const override;
  // Null: there is no such index.
  void add_status(Json& status) const override;

  // From the Workspace.
  void on_index(const IndexStatus& status);
  void on_common(const IndexStatus& status) { common_.on_index(status); }

 private:
  void did_change_workspace_folders(const DidChangeWorkspaceFoldersParams& params);
  // URIs.
  void change_folders(const std::vector<std::string>& added,
                      const std::vector<std::string>& removed);
  // Why there is no index of the workspace, or none that works; empty: there is one.
  std::string why_off() const;

  // What an index of common code is made from.
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
  // What the indexes that are there were made for; none: there is none.
  std::optional<Folders> indexed_;
  std::optional<CommonCode> indexed_common_;
};

}  // namespace redraft::lsp
