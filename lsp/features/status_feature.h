#pragma once

#include <vector>

#include "lsp/features/feature.h"
#include "lsp/status/status_report.h"

namespace redraft::lsp {

// Answers `redraft/status`: the StatusReport, and what each feature says of itself. Main thread.
class StatusFeature : public Feature {
 public:
  // `features` outlive this.
  StatusFeature(StatusReport& report, std::vector<const Feature*> features);

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;

 private:
  void status(const NoParams& params, Reply reply);

  StatusReport& report_;
  std::vector<const Feature*> features_;
};

}  // namespace redraft::lsp
