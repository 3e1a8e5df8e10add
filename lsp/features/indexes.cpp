#include "lsp/features/indexes.h"

#include <algorithm>

#include "lsp/features/feature_registry.h"
#include "workspace/documents/file_uri.h"

namespace redraft::lsp {
namespace {

// Clients write the same folder in different ways: "file:///a%20b/" and "file:///a b".
bool same_folder(const std::string& left, const std::string& right) {
  if (left == right) return true;
  const auto path = [](const std::string& uri) {
    const auto read = path_of_uri(uri);
    return read ? (*read / "").lexically_normal() : std::filesystem::path();
  };
  return !path(left).empty() && path(left) == path(right);
}

}  // namespace

void Indexes::begin(const InitializeParams& params, FeatureRegistry& registry) {
  repository_.set_capabilities(params.capabilities);
  common_.set_capabilities(params.capabilities);
  change_folders(params.folders, {});
  registry.on("workspace/didChangeWorkspaceFolders", this, &Indexes::did_change_workspace_folders);
  registry.announce("workspace",
                    {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}});
}

void Indexes::did_change_workspace_folders(const DidChangeWorkspaceFoldersParams& params) {
  change_folders(params.added, params.removed);
  follow_settings();
  report_.tell_changes();
}

void Indexes::on_index(const IndexStatus& status) {
  repository_.on_index(status);
  if (status.state == IndexStatus::State::kFailed) report_.tell_changes();
}

void Indexes::change_folders(const std::vector<std::string>& added,
                             const std::vector<std::string>& removed) {
  std::erase_if(folders_, [&](const std::string& folder) {
    return std::any_of(removed.begin(), removed.end(),
                       [&](const std::string& gone) { return same_folder(gone, folder); });
  });
  for (const std::string& uri : added) {
    const bool known =
        std::any_of(folders_.begin(), folders_.end(),
                    [&](const std::string& folder) { return same_folder(folder, uri); });
    if (!known) folders_.push_back(uri);
  }
}

void Indexes::follow_settings() {
  if (configuration_.waits()) return;
  const Folders folders = folders_to_index(folders_);
  workspace_.set_folders(folders);
  follow_repository(configuration_.settings(), folders);
  follow_common(configuration_.settings(), folders);
}

void Indexes::follow_repository(const Settings& settings, const Folders& folders) {
  std::optional<Folders> wanted;
  if (settings.index && make_.of_workspace && !folders.empty()) wanted = folders;
  if (wanted == indexed_) return;
  indexed_ = wanted;
  repository_.forget();
  if (wanted) {
    workspace_.index(make_.of_workspace(*wanted));
  } else {
    workspace_.drop_index();
  }
}

void Indexes::follow_common(const Settings& settings, const Folders& folders) {
  CommonCode code = {.workspace = folders,
                     .dependencies = settings.dependencies && !folders.empty(),
                     .others = folders_named(make_.common_folders, folders)};
  std::optional<CommonCode> wanted;
  if (make_.of_common_code && (code.dependencies || !code.others.empty())) {
    // The workspace's folders only matter for the packages installed in them.
    if (!code.dependencies) code.workspace.clear();
    wanted = std::move(code);
  }
  if (wanted == indexed_common_) return;
  indexed_common_ = wanted;
  common_.forget();
  if (wanted) {
    workspace_.index_common(
        make_.of_common_code(wanted->workspace, wanted->dependencies, wanted->others));
  } else {
    workspace_.drop_common_index();
  }
}

void Indexes::add_status(Json& status) const {
  status["index"] = repository_.json();
  status["common"] = common_.json();
}

void Indexes::add_reasons(Reasons& reasons) const {
  if (std::string why = why_off(); !why.empty()) reasons.push_back(std::move(why));
}

std::string Indexes::why_off() const {
  if (configuration_.waits())
    return "The index waits for the editor's settings (workspace/configuration).";
  if (!make_.of_workspace)
    return "The index is off: the server was started with redraft lsp --no-index.";
  if (!configuration_.settings().index) return "The index is off (redraft.index).";
  if (folders_.empty()) return "The index is off: no folder is open.";
  if (folders_to_index(folders_).empty()) {
    return "The index is off: the open folder is the whole disk or the home folder, or it is "
           "not on this machine.";
  }
  return repository_.failure();
}

}  // namespace redraft::lsp
