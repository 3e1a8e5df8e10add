#pragma once

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

struct PlannedLayer {
  std::vector<float> attention_norm;  // [hidden]
  PlannedMatrix query, key, value;
  std::vector<float> query_norm, key_norm;  // [head_dim]; empty if heads are not normed
  PlannedMatrix attention_output;
  std::vector<float> feed_forward_norm;  // [hidden]
  PlannedMatrix gate, up, down;          // without a source in a mixture, which has these instead:
  PlannedMatrix router;                  // a score for each expert
  std::vector<PlannedExpert> experts;

  // In the order in which a pass reads them.
  std::vector<PlannedMatrix*> matrices() {
    std::vector<PlannedMatrix*> all = {&query, &key, &value, &attention_output};
    if (experts.empty()) {
      all.insert(all.end(), {&gate, &up, &down});
      return all;
    }
    all.push_back(&router);
    for (PlannedExpert& expert : experts)
      all.insert(all.end(), {&expert.gate, &expert.up, &expert.down});
    return all;
  }
};

// The tensors of a model by role: found, with the shape that their role requires; small ones are
// read. The contents of matrices are not looked at yet.
struct WeightPlan {
  // Every error names the file, the tensor and the reason.
  static Result<WeightPlan> make(const ModelFiles& files, const TransformerShape& shape);

  PlannedMatrix embedding;
  std::vector<PlannedLayer> layers;
  std::vector<float> output_norm;  // [hidden]
  PlannedMatrix head;              // the output matrix, or the embedding if the file ties them
  bool tied = false;
};

// "… holds a weight or a scale that is no finite number"
Error not_finite(const ModelFiles& files, std::string_view role);

}  // namespace redraft
