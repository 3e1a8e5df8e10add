#pragma once

#include <vector>

#include "lsp/features/feature.h"
#include "lsp/status/status_report.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"

namespace redraft::lsp {

// Answers `redraft/status` with the StatusReport and each feature's own part. Main thread.
class StatusFeature : public Feature {
 public:
  // `features` outlive this object.
  StatusFeature(StatusReport& report, std::vector<const Feature*> features);

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;

 private:
  void status(const NoParams& params, Reply reply);

  StatusReport& report_;
  std::vector<const Feature*> features_;
};

}  // namespace redraft::lsp
