#pragma once

#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The user's choice whether the model is loaded before the first request. Main thread.
class EarlyLoading : public Feature {
 public:
  EarlyLoading(Workspace& workspace, const Configuration& configuration)
      : workspace_(workspace), configuration_(configuration) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  // Nothing is loaded while the client may be about to say that nothing should be.
  void follow_settings() override;

 private:
  Workspace& workspace_;
  const Configuration& configuration_;
};

}  // namespace redraft::lsp
