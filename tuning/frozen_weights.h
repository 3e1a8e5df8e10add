#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer_shape.h"
#include "support/result.h"
#include "tuning/lora_layout.h"

namespace redraft {

// A matrix that is not trained.
struct FrozenLinear {
  at::Tensor weight;  // [out, in], float or bfloat16
  at::Tensor bias;    // float [out]; undefined if the file has none
};

struct FrozenLayer {
  at::Tensor attention_norm;                            // float [hidden]
  at::Tensor feed_forward_norm;                         // float [hidden]
  at::Tensor query_norm, key_norm;                      // float [head_dim]; undefined if none
  std::array<FrozenLinear, kLinearRoles> linears = {};  // by LinearRole
};

// A model's weights as plain numbers. Rows of queries and keys are in Hugging Face's order (the
// first half of a head rotates with the second) whatever order the file has, so that adapters fit
// PEFT's.
struct FrozenWeights {
  // Matrices inside layers get the type `matrices`. Every error names the file, the tensor and the
  // reason.
  static Result<FrozenWeights> load(const ModelFiles& files, const TransformerShape& shape,
                                    at::ScalarType matrices, const LoadControl& control);

  at::Tensor embedding;  // float [vocabulary, hidden]
  at::Tensor head;  // float [vocabulary, hidden]; the embedding itself if the file ties the two
  at::Tensor output_norm;
  std::vector<FrozenLayer> layers;
};

}  // namespace redraft
