#include "decoding/model/weight_plan.h"

#include <optional>
#include <utility>

#include "decoding/kernels/finite_weights.h"
#include "decoding/model/expert_roles.h"
#include "decoding/model/packing.h"

namespace redraft {
namespace {

// Finds the named tensor and checks that it has the shape that its role requires.
Result<const StoredTensor*> find_shaped(const ModelFiles& files, const std::string& name,
                                        const std::vector<std::int64_t>& shape) {
  const StoredTensor* tensor = files.find_tensor(name);
  if (!tensor) return files.tensor_error(name, "missing");
  if (tensor->shape != shape)
    return files.tensor_error(name, unexpected_shape(tensor->shape, shape));
  return tensor;
}

class Planner {
 public:
  Planner(const ModelFiles& files, const TransformerShape& shape) : files_(files), shape_(shape) {}

  Result<WeightPlan> run() {
    plan_.layers.resize(static_cast<std::size_t>(shape_.layers));
    // Without an output matrix the embedding serves as the head.
    plan_.tied = !files_.find_tensor("output.weight");
    take_matrix("token_embd.weight", shape_.vocabulary, shape_.hidden, plan_.embedding);
    take_vector("output_norm.weight", shape_.hidden, plan_.output_norm);
    take_matrix(plan_.tied ? "token_embd.weight" : "output.weight", shape_.vocabulary,
                shape_.hidden, plan_.head);
    for (int i = 0; i < shape_.layers; ++i) {
      take_layer(i, plan_.layers[static_cast<std::size_t>(i)]);
    }
    if (error_) return *error_;
    return std::move(plan_);
  }

 private:
  void take_layer(int number, PlannedLayer& layer) {
    const std::string prefix = "blk." + std::to_string(number) + ".";
    const int hidden = shape_.hidden;
    const int paired = shape_.paired_rows ? shape_.head_dim : 0;
    take_vector(prefix + "attn_norm.weight", hidden, layer.attention_norm);
    take_linear(prefix + "attn_q", shape_.query_width(), hidden, layer.query, paired);
    take_linear(prefix + "attn_k", shape_.kv_width(), hidden, layer.key, paired);
    take_linear(prefix + "attn_v", shape_.kv_width(), hidden, layer.value);
    if (shape_.architecture->query_key_norm) {
      take_vector(prefix + "attn_q_norm.weight", shape_.head_dim, layer.query_norm);
      take_vector(prefix + "attn_k_norm.weight", shape_.head_dim, layer.key_norm);
    }
    take_linear(prefix + "attn_output", hidden, shape_.query_width(), layer.attention_output);
    take_vector(prefix + "ffn_norm.weight", hidden, layer.feed_forward_norm);
    if (shape_.experts > 0) return take_experts(number, prefix, layer);
    take_linear(prefix + "ffn_gate", shape_.feed_forward, hidden, layer.gate);
    take_linear(prefix + "ffn_up", shape_.feed_forward, hidden, layer.up);
    take_linear(prefix + "ffn_down", hidden, shape_.feed_forward, layer.down);
  }

  void take_experts(int number, const std::string& prefix, PlannedLayer& layer) {
    const int hidden = shape_.hidden;
    const int width = shape_.feed_forward;
    take_matrix(prefix + "ffn_gate_inp.weight", shape_.experts, hidden, layer.router);
    layer.experts.resize(static_cast<std::size_t>(shape_.experts));
    for (int i = 0; i < shape_.experts; ++i) {
      PlannedExpert& expert = layer.experts[static_cast<std::size_t>(i)];
      take_matrix(expert_role({number, ExpertMatrix::kGate, i}), width, hidden, expert.gate);
      take_matrix(expert_role({number, ExpertMatrix::kUp, i}), width, hidden, expert.up);
      take_matrix(expert_role({number, ExpertMatrix::kDown, i}), hidden, width, expert.down);
    }
  }

  // Keeps the first error.
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  // A matrix and, if there is one, its bias.
  void take_linear(const std::string& name, int n, int k, PlannedMatrix& out,
                   int paired_head_dim = 0) {
    take_matrix(name + ".weight", n, k, out);
    out.paired_head_dim = paired_head_dim;
    if (!files_.find_tensor(name + ".bias")) return;
    take_vector(name + ".bias", n, out.bias);
    if (paired_head_dim > 0 && !error_) out.bias = in_halves(out.bias, paired_head_dim);
  }

  // In each head, first the even elements, then the odd ones.
  static std::vector<float> in_halves(const std::vector<float>& bias, int head_dim) {
    std::vector<float> out(bias.size());
    const auto dim = static_cast<std::size_t>(head_dim);
    for (std::size_t i = 0; i < bias.size(); ++i)
      out[i / dim * dim + i % 2 * (dim / 2) + i % dim / 2] = bias[i];
    return out;
  }

  void take_vector(const std::string& name, int n, std::vector<float>& out) {
    Result<const StoredTensor*> found = find_shaped(files_, name, {n});
    if (!found) return fail(found.error());
    if (!are_finite((*found)->format, (*found)->data)) return fail(not_finite(files_, name));
    out.resize(static_cast<std::size_t>(n));
    dequantize_row((*found)->format, (*found)->data.data(), n, out.data());
  }

  void take_matrix(const std::string& name, int n, int k, PlannedMatrix& out) {
    Result<const StoredTensor*> found = find_shaped(files_, name, {k, n});
    if (!found) return fail(found.error());
    out.role = name;
    out.source = *found;
    out.delta = files_.find_delta(name);
    out.format = held_format((*found)->format, out.delta);
    out.n = n;
    out.k = k;
  }

  const ModelFiles& files_;
  const TransformerShape& shape_;
  WeightPlan plan_;
  std::optional<Error> error_;
};

}  // namespace

Result<WeightPlan> WeightPlan::make(const ModelFiles& files, const TransformerShape& shape) {
  return Planner(files, shape).run();
}

Error not_finite(const ModelFiles& files, std::string_view role) {
  return files.tensor_error(role, "holds a weight or a scale that is no finite number");
}

}  // namespace redraft
