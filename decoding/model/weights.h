#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/gguf.h"
#include "support/result.h"

namespace redraft {

// What a model file says about its transformer. Checked: every count is in a sane range and heads
// divide evenly.
struct TransformerShape {
  std::string architecture;
  int layers = 0;
  int context_length = 0;
  int hidden = 0;        // width of a row between layers
  int feed_forward = 0;  // width inside the feed-forward block
  int heads = 0;         // query heads
  int kv_heads = 0;      // divides heads
  int head_dim = 0;
  int vocabulary = 0;
  double rope_base = 0;
  double epsilon = 0;

  int query_width() const { return heads * head_dim; }
  int kv_width() const { return kv_heads * head_dim; }
};

// The error names the architecture and what redraft supports, or the key that is wrong.
Result<TransformerShape> read_shape(const GgufFile& file);

// A matrix of n output by k input features, packed for the kernels; `data` is a view of Weights'
// storage.
struct LinearWeight {
  at::Tensor data;  // uint8
  WeightFormat format = WeightFormat::kF32;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

struct LayerWeights {
  at::Tensor attention_norm;  // float [hidden]
  LinearWeight query, key, value;
  at::Tensor query_bias, key_bias, value_bias;  // float [n]; undefined where the file has none
  LinearWeight attention_output;
  at::Tensor feed_forward_norm;  // float [hidden]
  LinearWeight gate, up, down;
};

// The tensors of a model by their role, repacked for one instruction set. Embedding rows stay in
// the mapped file, everything else is copied: after load only `embedding` refers to it.
struct Weights {
  // Every error names the file, the tensor and the reason.
  static Result<Weights> load(const GgufFile& file, const TransformerShape& shape, kernels::Isa isa,
                              ThreadPool& pool);

  at::Tensor embedding;  // uint8 [vocabulary, bytes of a row], in the file's format and memory
  WeightFormat embedding_format = WeightFormat::kF32;
  std::vector<LayerWeights> layers;
  at::Tensor output_norm;  // float [hidden]
  LinearWeight head;       // the output matrix, or the embedding's where the file ties them
  at::Tensor storage;      // all packed bytes
};

}  // namespace redraft
