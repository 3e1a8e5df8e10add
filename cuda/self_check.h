#pragma once

#include "decoding/language_model.h"
#include "decoding/model/model_files.h"
#include "support/result.h"

namespace redraft::cuda {

// Checks on a small input whether this GPU computes what its kernels are meant to. Linear layers:
// those of each format among the weights are compared with the reference, and one row with several,
// to the last bit. Whole passes of `model`, which was loaded from `files`: token by token, as a
// draft and as a recording, which must agree to the last bit. So an untested GPU or driver that
// fails is found before it writes into somebody's file. Throws DeviceError.
Result<void> self_check(const ModelFiles& files, LanguageModel& model);

}  // namespace redraft::cuda
