#pragma once

#include <memory>

#include "decoding/kernels/thread_pool.h"
#include "decoding/language_model.h"
#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "support/result.h"

namespace redraft::cuda {

// A model whose weights and caches are in the memory of the GPU that find_device() chose. `pool`
// packs the weights and is not used afterwards. Every error names the file, the tensor or key, and
// the reason. This and forward() throw DeviceMemoryError if the GPU runs out of memory, and
// DeviceError if it fails.
Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        ThreadPool& pool,
                                                        const LoadControl& control = {});

}  // namespace redraft::cuda
