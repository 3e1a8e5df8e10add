#pragma once

#include <memory>
#include <optional>

#include "lsp/features/client_versions.h"
#include "lsp/features/edit_feed.h"
#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/progress.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Edits as clients request them: with a command, or with a code action that is resolved or carries
// that command. Starts the edits; the EditFeed delivers their outcome. Main thread.
class EditFeature : public Feature {
 public:
  EditFeature(std::shared_ptr<Connection> connection, Workspace& workspace,
              const Configuration& configuration, EditFeed& feed, const ClientVersions& versions)
      : connection_(std::move(connection)),
        workspace_(workspace),
        configuration_(configuration),
        feed_(feed),
        versions_(versions) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  void add_reasons(Reasons& reasons) const override;

 private:
  void code_action(const CodeActionParams& requested, Reply reply);
  void resolve_code_action(const CodeAction& action, Reply reply);
  void edit_command(const ExecuteCommandParams& params, const Reply& reply);
  void apply_command(const ExecuteCommandParams& params, const Reply& reply);
  void cancel_command(const ExecuteCommandParams& params, const Reply& reply);
  void resolve_edit(const ResolveEditParams& params, Reply reply);
  void cancel_progress(const ProgressCancelParams& params);
  void prepare(const PrepareParams& params, Reply reply);
  void stop_preparing(const NoParams& params);
  void region(const PrepareParams& params, Reply reply);

  // Reads ahead for an edit with such code actions, as far as the settings allow.
  void read_ahead_for(const CodeActionParams& params);
  // The request in `params`, for the current version of its document. If there is none, `reply` has
  // been answered.
  std::optional<EditRequest> request_of(const EditParams& params, const Reply& reply) const;
  void edit(const EditParams& params, const ExecuteCommandParams& command, const Reply& reply);
  // Starts the edit; `params` was read from `argument`. Returns nothing if it was rejected; `reply`
  // has then been answered.
  std::optional<EditId> start(const EditParams& params, const Json& argument, const Reply& reply);
  std::shared_ptr<WorkDoneProgress> progress(const std::optional<Json>& token, bool streamed);
  // Whether an edit requested with a command can reach the client.
  bool takes_commands() const { return client_.streamed_edits || client_.apply_edit; }

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  const Configuration& configuration_;
  EditFeed& feed_;
  const ClientVersions& versions_;
  ClientCapabilities client_;
};

}  // namespace redraft::lsp
