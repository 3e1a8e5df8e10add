#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer_shape.h"
#include "support/result.h"

namespace redraft {

// A matrix of n output by k input features, packed for the kernels; `data` is a view of Weights'
// storage.
struct LinearWeight {
  at::Tensor data;  // uint8
  WeightFormat format = WeightFormat::kF32;
  std::int64_t n = 0;
  std::int64_t k = 0;
  at::Tensor bias;  // float [n]; undefined where the file has none
};

// Of a mixture.
struct ExpertWeights {
  LinearWeight gate, up, down;
};

// Of a layer with a recurrent state: see PlannedRecurrence. Matrices that the file does not have
// are empty (n = 0).
struct RecurrenceWeights {
  LinearWeight mixed, gate, alpha, beta;
  LinearWeight mixed_and_gate, beta_and_alpha;
  LinearWeight gates_and_input;
  at::Tensor convolution;        // float [taps * channels]
  at::Tensor decay, decay_bias;  // float [value_heads]; undefined, if there are no heads, as
  at::Tensor norm;               // float [value_dim]
  LinearWeight output;
};

struct LayerWeights {
  at::Tensor attention_norm;  // float [hidden]
  bool rotates = true;        // queries and keys
  // Without a matrix for values, keys take their place; without one for keys, the layer reads those
  // of another (TransformerShape::shares_keys). All are empty in
  LinearWeight query, key, value;  // a layer with a recurrent state, which has
  RecurrenceWeights recurrence;    // these instead
  // Float [head_dim]; undefined if heads are not normed.
  at::Tensor query_norm, key_norm, value_norm;
  LinearWeight attention_output;
  at::Tensor sinks;              // float [heads]; undefined if there are none
  at::Tensor feed_forward_norm;  // float [hidden]
  // Norms of what the blocks add to the stream, float [hidden]; undefined if there are none.
  at::Tensor attention_post_norm, feed_forward_post_norm;
  double output_scale = 1;  // factor of the layer's output
  // Of a layer with an input of its own (LayerInputs); elsewhere empty.
  LinearWeight input_gate, input_projection;
  at::Tensor input_post_norm;  // float [hidden]
  LinearWeight gate, up, down;
  LinearWeight router;                 // in a mixture, instead of those
  std::vector<ExpertWeights> experts;  // empty: the layer is dense
  // Where a dense block and experts stand side by side: the norms of what the router, the experts
  // and the block's successors read, float [hidden]; undefined elsewhere.
  at::Tensor router_norm, expert_norm, dense_post_norm, expert_post_norm;
  at::Tensor expert_scales;     // float [experts], of the shares; undefined if there are none
  ExpertWeights shared_expert;  // that every row goes to; empty: there is none
  LinearWeight shared_gate;     // its score
};

// Where layers have inputs of their own: see LayerInputs.
struct LayerInputWeights {
  // uint8 [vocabulary, bytes of a row], in the file's format: on disk, if it may be there, since a
  // pass reads a row for each of its tokens only. Undefined: there are no such inputs.
  at::Tensor embedding;
  WeightFormat format = WeightFormat::kF32;
  LinearWeight projection;  // [layers * layer_input, hidden]
  at::Tensor norm;          // float [layer_input]
};

// See PlannedMtp.
struct MtpWeights {
  LinearWeight join;
  at::Tensor token_norm, hidden_norm;  // float [hidden]
  LayerWeights layer;
  at::Tensor output_norm;        // float [hidden]
  LinearWeight embedding, head;  // empty: the model's
};

// The tensors of a model by role, repacked for the kernels. All of it is copied: whatever becomes
// of the file later, these stay as they were loaded.
struct Weights {
  // Every error names the file, the tensor and the reason.
  static Result<Weights> load(const ModelFiles& files, const TransformerShape& shape,
                              ThreadPool& pool, const LoadControl& control = {});

  // uint8 [vocabulary, bytes of a row], in the file's format. Undefined where the head's packed
  // rows are the same weights, which saves an eighth to a third of a small model's memory.
  at::Tensor embedding;
  WeightFormat embedding_format = WeightFormat::kF32;
  LayerInputWeights layer_inputs;
  std::vector<LayerWeights> layers;
  at::Tensor output_norm;  // float [hidden]
  LinearWeight head;       // the output matrix, or the embedding if the file ties them
  at::Tensor storage;      // all packed bytes
  std::optional<MtpWeights> mtp;
};

}  // namespace redraft
