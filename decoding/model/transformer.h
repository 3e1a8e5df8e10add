#pragma once

#include <memory>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/language_model.h"
#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "support/result.h"

namespace redraft {

// Checks a model's weights and repacks them for the kernels of `isa`. Nothing of `files` is needed
// afterwards; `pool` outlives the model. Every error names the file, the tensor or key, and
// the reason.
Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        kernels::Isa isa, ThreadPool& pool,
                                                        const LoadControl& control = {});

}  // namespace redraft
