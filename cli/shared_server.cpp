#include "cli/shared_server.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/common/identity.h"
#include "decoding/model/adapter.h"
#include "decoding/model/draft_head_files.h"
#include "decoding/model/model_store.h"
#include "support/system/processes.h"
#include "support/system/processor_cores.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

// The shared server runs in another folder, so a relative path becomes absolute.
std::string anywhere(const std::string& model) {
  const Result<ModelLocation> found = locate_model(model);
  const auto absolute = [](const std::string& path) {
    return fs::absolute(path).lexically_normal().string();
  };
  if (!found) return model.find('/') == std::string::npos ? model : absolute(model);
  // Without "+ADAPTER".
  const std::string adapter = found->adapter.string();
  const std::size_t after = adapter.empty() ? 0 : adapter.size() + 1;
  const std::string base = model.substr(0, model.size() - after);
  return (found->file == fs::path(base) ? absolute(base) : base) +
         (adapter.empty() ? "" : "+" + absolute(adapter));
}

std::string time_of(const fs::path& file) {
  std::error_code problem;
  const auto time = fs::last_write_time(file, problem).time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

// A replaced model file requires a new server.
std::string identity_of_model(const std::string& model) {
  if (model.empty()) return {};
  const Result<ModelLocation> found = locate_model(model);
  if (!found) return model;
  std::string identity =
      model + "=" + fs::absolute(found->file).string() + "@" + time_of(found->file);
  if (found->adapter.empty()) return identity;
  // If it is unreadable, the server that loads it reports the error.
  const Result<std::string> adapter = adapter_identity(found->adapter);
  return identity + "+" + (adapter ? *adapter : "?");
}

// A replaced draft head requires one too.
std::string identity_of_head(const std::string& folder) {
  if (folder.empty()) return {};
  return folder + "@" + time_of(fs::path(folder) / DraftHeadFiles::kConfigName) + "@" +
         time_of(fs::path(folder) / DraftHeadFiles::kWeightsName);
}

// The environment variables that determine the folders of models, indexes and ignore rules.
std::string folders_of_user() {
  std::string text;
  for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}) {
    const char* value = std::getenv(name);
    text += std::string(name) + "=" + (value ? value : "") + "\n";
  }
  return text;
}

// The key may be in the environment, which the server inherits from the process that starts it
// first.
std::string remote_of(const CommonOptions& common) {
  if (common.remote.empty()) return "local";
  const char* key = std::getenv("REDRAFT_REMOTE_KEY");
  return common.remote + "\n" + common.remote_model + "\n" + (common.has_target ? "or local" : "") +
         "\n" + stable_hash(key ? key : "");
}

// With a remote server, only a named target is a fallback.
void add_remote(const CommonOptions& common, std::vector<std::string>& command) {
  if (common.remote.empty()) return;
  command.insert(command.end(), {"--remote", common.remote});
  if (!common.remote_model.empty())
    command.insert(command.end(), {"--remote-model", common.remote_model});
}

}  // namespace

lsp::AttachOptions shared_server(const ServerChoices& choices, int idle_seconds) {
  const CommonOptions& common = choices.common;
  const std::string target = anywhere(common.target);
  const std::string draft = common.draft.empty() ? "" : anywhere(common.draft);
  const std::string head =
      common.head.empty() ? "" : fs::absolute(common.head).lexically_normal().string();
  const auto own = [](const std::string& model) { return model.empty() ? "" : anywhere(model); };
  const std::string completion = own(common.completion_model), next = own(common.next_edit_model);
  const int threads = common.threads > 0 ? common.threads : processor_cores().threads();
  const std::string index = choices.no_index ? "no index" : "index";
  const std::string kept = choices.no_kv_cache ? "nothing on disk" : "kept on disk";
  const std::string confined = choices.no_confinement ? "not confined" : "confined";
  std::string same;
  for (const std::string& part :
       {program_identity(), identity_of_model(target), identity_of_model(draft),
        identity_of_head(head), identity_of_model(completion), identity_of_model(next),
        common.device.text(), common.kernels, std::to_string(threads),
        std::to_string(choices.cache_mib), index, kept, confined, remote_of(common),
        folders_of_user(), namespaces()})
    same += part + "\n";
  for (const std::string& folder : choices.common_folders) same += "common " + folder + "\n";
  lsp::AttachOptions options{
      .key = stable_hash(same),
      .command = {executable().string(), "lsp", "--device", common.device.text(), "--threads",
                  std::to_string(threads), "--cache-memory", std::to_string(choices.cache_mib),
                  "--log-level", common.log_level, "--idle-seconds", std::to_string(idle_seconds)},
      .waiter = executable().replace_filename("redraft-attached")};
  add_remote(common, options.command);
  if (common.remote.empty() || common.has_target)
    options.command.insert(options.command.end(), {"--target", target});
  if (!draft.empty()) options.command.insert(options.command.end(), {"--draft", draft});
  if (!head.empty()) options.command.insert(options.command.end(), {"--head", head});
  if (!completion.empty())
    options.command.insert(options.command.end(), {"--completion-model", completion});
  if (!next.empty()) options.command.insert(options.command.end(), {"--next-edit-model", next});
  if (!common.kernels.empty())
    options.command.insert(options.command.end(), {"--kernels", common.kernels});
  for (const std::string& folder : choices.common_folders)
    options.command.insert(options.command.end(), {"--common", folder});
  if (choices.no_index) options.command.push_back("--no-index");
  if (choices.no_kv_cache) options.command.push_back("--no-kv-cache");
  if (choices.no_confinement) options.command.push_back("--no-confinement");
  options.command.push_back(kAttachedOption);
  return options;
}

}  // namespace redraft::cli
