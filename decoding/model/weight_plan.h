#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decoding/model/model_files.h"
#include "decoding/model/transformer_shape.h"
#include "support/result.h"

namespace redraft {

// A matrix of n output by k input features, and where it is in a model's files.
struct PlannedMatrix {
  std::string role;  // "blk.3.attn_q.weight"
  const StoredTensor* source = nullptr;
  const LowRankDelta* delta = nullptr;       // what an adapter adds; null: nothing
  WeightFormat format = WeightFormat::kF32;  // in which it is packed: with a delta not the file's
  int n = 0;
  int k = 0;
  // 0, or the width of heads whose rows are ordered in the file so that neighbours rotate together;
  // see PackingJob.
  int paired_head_dim = 0;
  std::vector<float> bias = {};  // [n] in the order of packed rows; empty where the file has none
};

// Of a mixture.
struct PlannedExpert {
  PlannedMatrix gate, up, down;
};

// What a layer with a recurrent state has in place of attention. Matrices that a file does not have
// are without a source. The projections of a Gated DeltaNet are separate, or joined and interleaved
// by key head.
struct PlannedRecurrence {
  PlannedMatrix mixed, gate;     // queries, keys and values together; gates
  PlannedMatrix alpha, beta;     // of the decay, and of how much is replaced
  PlannedMatrix mixed_and_gate;  // both of each
  PlannedMatrix beta_and_alpha;
  PlannedMatrix gates_and_input;         // of a short convolution: B, C and x
  std::vector<float> convolution;        // [taps, channels]
  std::vector<float> decay, decay_bias;  // [value_heads], of a Gated DeltaNet as the next
  std::vector<float> norm;               // [value_dim]
  PlannedMatrix output;
};

struct PlannedLayer {
  std::vector<float> attention_norm;  // [hidden]
  PlannedMatrix query, key, value;    // without a source in a layer with a recurrent state
  std::vector<float> query_norm, key_norm, value_norm;  // [head_dim]; empty: not normed
  PlannedMatrix attention_output;
  std::vector<float> sinks;  // [heads]; empty if there are none
  PlannedRecurrence recurrence;
  std::vector<float> feed_forward_norm;  // [hidden]
  // Norms of what the blocks add to the stream, [hidden]; empty if there are none.
  std::vector<float> attention_post_norm, feed_forward_post_norm;
  double output_scale = 1;
  // Of a layer with an input of its own (LayerInputs); elsewhere without a source and empty.
  PlannedMatrix input_gate, input_projection;
  std::vector<float> input_post_norm;  // [hidden]
  PlannedMatrix gate, up, down;        // without a source in most mixtures, which have instead:
  PlannedMatrix router;                // a score for each expert
  std::vector<PlannedExpert> experts;
  // See LayerWeights.
  std::vector<float> router_norm, expert_norm, dense_post_norm, expert_post_norm;
  std::vector<float> expert_scales;
  PlannedExpert shared_expert;  // that every row goes to, and its gate, a score
  PlannedMatrix shared_gate;

  // In the order in which a pass reads them, those that there are.
  std::vector<PlannedMatrix*> matrices() {
    std::vector<PlannedMatrix*> all = {&query, &key, &value, &attention_output};
    all.insert(all.end(), {&recurrence.mixed, &recurrence.gate, &recurrence.mixed_and_gate,
                           &recurrence.alpha, &recurrence.beta, &recurrence.beta_and_alpha,
                           &recurrence.gates_and_input, &recurrence.output});
    all.insert(all.end(), {&gate, &up, &down, &router});
    for (PlannedExpert& expert : experts)
      all.insert(all.end(), {&expert.gate, &expert.up, &expert.down});
    all.insert(all.end(), {&shared_gate, &shared_expert.gate, &shared_expert.up,
                           &shared_expert.down, &input_gate, &input_projection});
    std::erase_if(all, [](const PlannedMatrix* matrix) { return matrix->source == nullptr; });
    return all;
  }
};

// An MTP block: a layer with attention behind a projection that joins the norms of a token's
// embedding and of the output row before it.
struct PlannedMtp {
  PlannedMatrix join;                          // [hidden, 2 * hidden], the embedding's part first
  std::vector<float> token_norm, hidden_norm;  // [hidden]
  PlannedLayer layer;
  // Those that the file does not have are without a source or empty; the model's are used.
  std::vector<float> output_norm;
  PlannedMatrix embedding, head;
};

// The tensors of a model by role: found, with the shape that their role requires; small ones are
// read. The contents of matrices are not looked at yet.
struct WeightPlan {
  // Every error names the file, the tensor and the reason.
  static Result<WeightPlan> make(const ModelFiles& files, const TransformerShape& shape);

  PlannedMatrix embedding;
  // See LayerInputWeights; without a source and empty if layers have no inputs of their own.
  PlannedMatrix layer_embedding, layer_projection;
  std::vector<float> layer_input_norm;
  std::vector<PlannedLayer> layers;
  std::vector<float> output_norm;  // [hidden]
  PlannedMatrix head;              // the output matrix, or the embedding if the file ties them
  bool tied = false;
  std::optional<PlannedMtp> mtp;
};

// "… holds a weight or a scale that is no finite number"
Error not_finite(const ModelFiles& files, std::string_view role);

}  // namespace redraft
