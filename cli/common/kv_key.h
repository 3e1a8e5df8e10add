#pragma once

#include <string>

#include "decoding/kv_archive.h"
#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft::cli {

// What the rows of a model on this machine depend on: the weights
// (ModelStamp::weights(), as they were loaded), the adapter, the processor with the kernels that
// kernels_on() names, and this build of the program.
Result<KvArchive::Key> kv_key(const ModelLocation& model, const std::string& weights,
                              const std::string& instructions);

}  // namespace redraft::cli
