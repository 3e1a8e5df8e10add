#pragma once

#include "decoding/language_model.h"
#include "decoding/model/model_files.h"
#include "support/result.h"

namespace redraft::cuda {

// Whether this GPU does what its kernels were written for, on a little of everything: linears of
// each format among the weights against the reference and, to the last bit, one row against
// several; and the same of whole passes of `model`, which was loaded from `files`: token by token,
// as a draft, as a recording. A GPU or a driver that nobody has tried is then found out before it
// writes into somebody's file. Throws DeviceError.
Result<void> self_check(const ModelFiles& files, LanguageModel& model);

}  // namespace redraft::cuda
