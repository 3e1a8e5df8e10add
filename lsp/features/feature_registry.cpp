#include "lsp/features/feature_registry.h"

#include <algorithm>

#include "support/system/crash_notes.h"

namespace redraft::lsp {

void FeatureRegistry::add_command(std::string name, Command command) {
  if (commands_.empty()) on("workspace/executeCommand", this, &FeatureRegistry::execute);
  commands_.emplace_back(std::move(name), std::move(command));
  Json names = Json::array();
  for (const auto& [known, run] : commands_) names.push_back(known);
  announce("executeCommandProvider", {{"commands", std::move(names)}, {"workDoneProgress", true}});
}

void FeatureRegistry::announce(const char* capability, const Json& options) {
  capabilities_.merge_patch({{capability, options}});
}

void FeatureRegistry::execute(const ExecuteCommandParams& params, Reply reply) {
  const auto command =
      std::ranges::find(commands_, params.command, [](const auto& entry) { return entry.first; });
  if (command == commands_.end()) {
    reply.fail(ErrorCode::kInvalidParams, "this server has no command " + params.command);
    return;
  }
  const AtWork work({.document = AtWork::here().document, .kind = work_kind(command->first)});
  command->second(params, reply);
}

}  // namespace redraft::lsp
