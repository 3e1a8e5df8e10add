#include "lsp/features/cache_on_disk.h"

namespace redraft::lsp {

void CacheOnDisk::begin(const InitializeParams& /*params*/, FeatureRegistry& /*registry*/) {
  follow_settings();
}

void CacheOnDisk::follow_settings() {
  workspace_.keep_on_disk(!configuration_.waits() && configuration_.settings().cache_on_disk);
}

}  // namespace redraft::lsp
