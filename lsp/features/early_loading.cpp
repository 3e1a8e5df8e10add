#include "lsp/features/early_loading.h"

namespace redraft::lsp {

void EarlyLoading::begin(const InitializeParams& /*params*/, FeatureRegistry& /*registry*/) {
  follow_settings();
}

void EarlyLoading::follow_settings() {
  workspace_.load_early(!configuration_.waits() && configuration_.settings().load_early);
}

}  // namespace redraft::lsp
