#pragma once

#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The user's choices whether the model is loaded before the first request, when it is unloaded, and
// whether what it read is kept on disk. Main thread.
class ModelChoices : public Feature {
 public:
  ModelChoices(Workspace& workspace, const Configuration& configuration)
      : workspace_(workspace), configuration_(configuration) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  // Nothing is loaded or kept while the client may be about to say that nothing should be.
  void follow_settings() override;

 private:
  Workspace& workspace_;
  const Configuration& configuration_;
};

}  // namespace redraft::lsp
