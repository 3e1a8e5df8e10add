#pragma once

#include <string>

#include "decoding/kv_archive.h"
#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft::cli {

// Identifies everything on which a model's rows on this machine depend: the weights
// (ModelStamp::weights(), as they were loaded), the adapter, the processor with the kernels of
// kernels_on(), and this build of the program.
Result<KvArchive::Key> kv_key(const ModelLocation& model, const std::string& weights,
                              const std::string& instructions);

}  // namespace redraft::cli
