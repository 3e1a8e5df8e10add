#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "decoding/model_powers.h"

namespace redraft {

// The two likeliest tokens of each row of logits, float [rows, vocabulary], and their
// probabilities. Of equal logits the earlier token is the better one. A vocabulary of one token has
// no second one, which is then 1 with the probability 0. Inside a CpuScope.
std::vector<HeadPlace> best_places(const at::Tensor& logits);

}  // namespace redraft
