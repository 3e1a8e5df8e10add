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

// Linear layers with the same input; their outputs are stored side by side. Neighbours with the
// same format are joined to one matrix, and so to one kernel.
using DeviceLinears = std::vector<DeviceLinear>;

struct DeviceLayer {
  const float* attention_norm = nullptr;
  DeviceLinears query_key_value;
  const float* query_norm = nullptr;  // null if heads are not normed
  const float* key_norm = nullptr;
  DeviceLinear attention_output;
  const float* feed_forward_norm = nullptr;
  DeviceLinears gate_up;
  DeviceLinear down;
};

// A model's weights in the memory of the GPU, as its kernels read them.
struct DeviceWeights {
  // Packs on `pool` and copies through `queue`. Every error names the file, the tensor and the
  // reason, or what the GPU lacks.
  static Result<DeviceWeights> load(const ModelFiles& files, const TransformerShape& shape,
                                    ThreadPool& pool, DeviceQueue& queue,
                                    const LoadControl& control);

  Weight embedding{};
  std::vector<DeviceLayer> layers;
  const float* output_norm = nullptr;
  DeviceLinear head;

  std::size_t bytes_of_pass = 0;  // everything except an embedding that is not also the head
  DeviceMemory memory;            // holds all of it
};

}  // namespace redraft::cuda
