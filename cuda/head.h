#pragma once

#include <cstdint>

#include "cuda/stream.h"

// Operations on whole rows of logits, [rows, n] floats, over device memory. One block of threads
// per row.
namespace redraft::cuda {

// The k largest of each row, best first, ties to the lower index, NaN last: [rows, k] each. k <= n.
void top_k(const float* logits, int rows, int n, int k, std::int32_t* ids, float* best,
           Stream stream);

// out[r] = log softmax(logits[r])[ids[r]].
void log_probability(const float* logits, int rows, int n, const std::int32_t* ids, float* out,
                     Stream stream);

}  // namespace redraft::cuda
