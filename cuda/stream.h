#pragma once

struct CUstream_st;

namespace redraft::cuda {

// cudaStream_t, for headers that do not include CUDA.
using Stream = ::CUstream_st*;

}  // namespace redraft::cuda
