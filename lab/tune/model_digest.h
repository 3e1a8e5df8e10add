#pragma once

#include <string>

#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft::cli {

// The SHA-256 of a GGUF file, or those of a folder's weights, plus those of an adapter's files.
Result<std::string> digest_of_model(const ModelLocation& model);

}  // namespace redraft::cli
