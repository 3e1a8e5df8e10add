#pragma once

#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The user's choice whether what was read is kept on disk. Main thread.
class CacheOnDisk : public Feature {
 public:
  CacheOnDisk(Workspace& workspace, const Configuration& configuration)
      : workspace_(workspace), configuration_(configuration) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  // Nothing is kept while the client may be about to say that nothing should be.
  void follow_settings() override;

 private:
  Workspace& workspace_;
  const Configuration& configuration_;
};

}  // namespace redraft::lsp
