#pragma once

struct CUstream_st;

namespace redraft::cuda {

// cudaStream_t, for headers that need no CUDA.
using Stream = ::CUstream_st*;

}  // namespace redraft::cuda
