#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "decoding/language_model.h"
#include "support/result.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {

// How a GPU's memory is divided after the weights are loaded.
struct GpuRoom {
  EngineOptions options;  // contexts and caches no larger than fit
  std::string notice;     // what is smaller than requested; empty if nothing is
};

// `models` are those on the GPU, which has `free_bytes` free. An error if there is not enough
// memory for a short prompt.
Result<GpuRoom> share_gpu_memory(std::span<const LanguageModel* const> models,
                                 std::size_t free_bytes, const EngineOptions& wanted);

}  // namespace redraft::cli
