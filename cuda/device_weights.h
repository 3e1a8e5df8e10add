#pragma once

#include <vector>

#include "cuda/linear.h"
#include "cuda/runtime.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer_shape.h"
#include "support/result.h"

namespace redraft::cuda {

// A matrix on the GPU and its bias.
struct DeviceLinear {
  Weight weight{};
  const float* bias = nullptr;  // [n] or null
};

// Linears of one input, whose outputs stand side by side. Neighbours of one format are one matrix,
// and so one kernel.
using DeviceLinears = std::vector<DeviceLinear>;

struct DeviceLayer {
  const float* attention_norm = nullptr;
  DeviceLinears query_key_value;
  const float* query_norm = nullptr;  // null where heads are not normed
  const float* key_norm = nullptr;
  DeviceLinear attention_output;
  const float* feed_forward_norm = nullptr;
  DeviceLinears gate_up;
  DeviceLinear down;
};

// A model's weights in the memory of the GPU, as its kernels read them.
struct DeviceWeights {
  // Packs on `pool`, copies through `queue`. Every error names the file, the tensor and the reason,
  // or what the GPU lacks.
  static Result<DeviceWeights> load(const ModelFiles& files, const TransformerShape& shape,
                                    ThreadPool& pool, DeviceQueue& queue,
                                    const LoadControl& control);

  Weight embedding{};
  std::vector<DeviceLayer> layers;
  const float* output_norm = nullptr;
  DeviceLinear head;

  std::size_t bytes_of_pass = 0;  // all but an embedding that is not the head as well
  DeviceMemory memory;            // of all of it
};

}  // namespace redraft::cuda
