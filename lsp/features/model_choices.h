#pragma once

#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Follows the user's settings: whether the model is loaded before the first request, when it is
// unloaded, how large its prompts are, and whether its keys and values are kept on disk. Main
// thread.
class ModelChoices : public Feature {
 public:
  ModelChoices(Workspace& workspace, const Configuration& configuration)
      : workspace_(workspace), configuration_(configuration) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  // Loads and keeps nothing while the client may still say that nothing should be.
  void follow_settings() override;
  void add_status(Json& status) const override;

 private:
  Workspace& workspace_;
  const Configuration& configuration_;
};

}  // namespace redraft::lsp
