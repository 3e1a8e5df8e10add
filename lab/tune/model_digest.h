#pragma once

#include <string>

#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft::cli {

// The SHA-256 of a GGUF file; of a folder those of its weights; with an adapter its files' too.
Result<std::string> digest_of_model(const ModelLocation& model);

}  // namespace redraft::cli
