#include "lsp/features/status_feature.h"

#include <utility>

#include "lsp/features/feature_registry.h"

namespace redraft::lsp {

StatusFeature::StatusFeature(StatusReport& report, std::vector<const Feature*> features)
    : report_(report), features_(std::move(features)) {
  report_.add([this](Reasons& reasons) {
    for (const Feature* feature : features_) feature->add_reasons(reasons);
  });
}

void StatusFeature::begin(const InitializeParams& params, FeatureRegistry& registry) {
  registry.on("redraft/status", this, &StatusFeature::status);
  report_.begin(params.capabilities);
}

void StatusFeature::status(const NoParams&, Reply reply) {
  Json status = report_.json();
  for (const Feature* feature : features_) feature->add_status(status);
  reply(std::move(status));
}

}  // namespace redraft::lsp
