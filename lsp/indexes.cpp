#include "lsp/indexes.h"

#include <algorithm>

#include "workspace/documents/file_uri.h"

namespace redraft::lsp {
namespace {

// Clients differ in how they write one and the same folder: "file:///a%20b/" and "file:///a b".
bool same_folder(const std::string& left, const std::string& right) {
  if (left == right) return true;
  const auto path = [](const std::string& uri) {
    const auto read = path_of_uri(uri);
    return read ? (*read / "").lexically_normal() : std::filesystem::path();
  };
  return !path(left).empty() && path(left) == path(right);
}

}  // namespace

void Indexes::set_capabilities(const ClientCapabilities& capabilities) {
  repository_.set_capabilities(capabilities);
  common_.set_capabilities(capabilities);
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

void Indexes::follow(const Settings& settings) {
  const Folders folders = folders_to_index(folders_);
  workspace_.set_folders(folders);
  follow_repository(settings, folders);
  follow_common(settings, folders);
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
                     .others = folders_named(settings.common_folders, folders)};
  std::optional<CommonCode> wanted;
  if (make_.of_common_code && (code.dependencies || !code.others.empty())) {
    // Without their packages the workspace's folders do not matter.
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

std::string Indexes::why_off(const Settings& settings) const {
  if (!make_.of_workspace)
    return "The index is off: the server was started without (redraft lsp --no-index).";
  if (!settings.index) return "The index is off (redraft.index).";
  if (folders_.empty()) return "The index is off: no folder is open.";
  if (folders_to_index(folders_).empty()) {
    return "The index is off: the folder that is open is the whole disk or the home folder, or is "
           "not on this machine.";
  }
  return repository_.failure();
}

}  // namespace redraft::lsp
