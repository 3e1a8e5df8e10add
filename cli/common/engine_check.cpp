#include "cli/common/engine_check.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "cli/common/device.h"
#include "cli/common/kv_key.h"
#include "decoding/model/model_stamp.h"
#include "support/log/log.h"

namespace redraft::cli {

Result<CheckStore::Key> check_key(const ModelLocation& model, const Device& device) {
  return kv_key(model, ModelStamp::of(model).weights(), kernels_on(device));
}

void remember_checks(LocalEngine& engine, const ModelLocation& location) {
  if (std::getenv("REDRAFT_PINNED_COST") != nullptr) return;
  Result<CheckStore::Key> key =
      kv_key(location, engine.target_version(), kernels_on(engine.device()));
  // The adapter is read again for the key, so it must still be the one that was merged.
  if (!key || !engine.is_current()) return;
  std::optional<CheckVerdict> known = CheckStore().load(*key);
  engine.set_check(std::move(known), [key = *std::move(key)](const CheckVerdict& verdict) {
    const Result<void> kept = CheckStore().store(key, verdict);
    if (!kept) logging::info("the check of the model is not kept: {}", kept.error().message());
  });
}

}  // namespace redraft::cli
