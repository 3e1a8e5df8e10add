#include "decoding/model/weight_plan.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
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
    take_norm(std::string(shape_.architecture->output_norm) + ".weight", shape_.hidden,
              plan_.output_norm);
    take_matrix(plan_.tied ? "token_embd.weight" : "output.weight", shape_.vocabulary,
                shape_.hidden, plan_.head);
    if (shape_.layer_input > 0) take_inputs_of_layers();
    for (int i = 0; i < shape_.layers; ++i) {
      take_layer(i, plan_.layers[static_cast<std::size_t>(i)]);
    }
    if (shape_.mtp_blocks > 0) take_mtp();
    if (error_) return *error_;
    return std::move(plan_);
  }

 private:
  void take_inputs_of_layers() {
    take_matrix("per_layer_token_embd.weight", shape_.vocabulary, shape_.layer_inputs(),
                plan_.layer_embedding);
    take_matrix("per_layer_model_proj.weight", shape_.layer_inputs(), shape_.hidden,
                plan_.layer_projection);
    take_norm("per_layer_proj_norm.weight", shape_.layer_input, plan_.layer_input_norm);
  }

  // Files without the block's own tensors do not have the block, whatever their metadata says.
  void take_mtp() {
    const std::string prefix = "blk." + std::to_string(shape_.layers) + ".nextn.";
    if (!files_.find_tensor(prefix + "eh_proj.weight")) return;
    PlannedMtp& mtp = plan_.mtp.emplace();
    const int hidden = shape_.hidden;
    take_matrix(prefix + "eh_proj.weight", hidden, 2 * hidden, mtp.join);
    take_norm(prefix + "enorm.weight", hidden, mtp.token_norm);
    take_norm(prefix + "hnorm.weight", hidden, mtp.hidden_norm);
    take_layer(shape_.layers, mtp.layer);
    const auto has = [&](const char* name) { return files_.find_tensor(prefix + name) != nullptr; };
    if (has("shared_head_norm.weight"))
      take_norm(prefix + "shared_head_norm.weight", hidden, mtp.output_norm);
    if (has("embed_tokens.weight"))
      take_matrix(prefix + "embed_tokens.weight", shape_.vocabulary, hidden, mtp.embedding);
    if (has("shared_head_head.weight"))
      take_matrix(prefix + "shared_head_head.weight", shape_.vocabulary, hidden, mtp.head);
  }

  void take_layer(int number, PlannedLayer& layer) {
    const std::string prefix = "blk." + std::to_string(number) + ".";
    const int hidden = shape_.hidden;
    take_norm(prefix + "attn_norm.weight", hidden, layer.attention_norm);
    if (shape_.is_recurrent(number)) {
      take_recurrence(prefix, layer.recurrence);
    } else {
      take_attention(prefix, shape_.attention_heads(shape_.has_window(number)),
                     shape_.shares_keys(number), layer);
    }
    take_norm(prefix + std::string(shape_.architecture->feed_forward_norm) + ".weight", hidden,
              layer.feed_forward_norm);
    if (shape_.architecture->post_norms) take_post_norms(prefix, layer);
    if (shape_.layer_input > 0) {
      take_matrix(prefix + "inp_gate.weight", shape_.layer_input, hidden, layer.input_gate);
      take_matrix(prefix + "proj.weight", hidden, shape_.layer_input, layer.input_projection);
      take_norm(prefix + "post_norm.weight", hidden, layer.input_post_norm);
    }
    if (shape_.experts > 0) take_experts(number, prefix, layer);
    if (shape_.experts > 0 && shape_.dense_feed_forward == 0) return;
    const int width =
        shape_.experts > 0 ? shape_.dense_feed_forward : shape_.feed_forward_of(number);
    take_linear(prefix + "ffn_gate", width, hidden, layer.gate);
    take_linear(prefix + "ffn_up", width, hidden, layer.up);
    take_linear(prefix + "ffn_down", hidden, width, layer.down);
    if (shape_.dense_feed_forward > 0) take_norms_beside_experts(prefix, layer);
  }

  // The router reads rows that are divided by the square root of their width.
  void take_norms_beside_experts(const std::string& prefix, PlannedLayer& layer) {
    const int hidden = shape_.hidden;
    take_vector(prefix + "ffn_gate_inp.scale", hidden, layer.router_norm);
    for (float& each : layer.router_norm) each /= std::sqrt(static_cast<float>(hidden));
    take_norm(prefix + "pre_ffw_norm_2.weight", hidden, layer.expert_norm);
    take_norm(prefix + "post_ffw_norm_1.weight", hidden, layer.dense_post_norm);
    take_norm(prefix + "post_ffw_norm_2.weight", hidden, layer.expert_post_norm);
    const std::string scales = prefix + "ffn_down_exps.scale";
    if (files_.find_tensor(scales)) take_vector(scales, shape_.experts, layer.expert_scales);
  }

  // What follows a block, and the factor of the layer's output.
  void take_post_norms(const std::string& prefix, PlannedLayer& layer) {
    take_norm(prefix + "post_attention_norm.weight", shape_.hidden, layer.attention_post_norm);
    take_norm(prefix + "post_ffw_norm.weight", shape_.hidden, layer.feed_forward_post_norm);
    const std::string scale = prefix + "layer_output_scale.weight";
    if (!files_.find_tensor(scale)) return;
    std::vector<float> factor;
    take_vector(scale, 1, factor);
    if (!factor.empty()) layer.output_scale = factor[0];
  }

  // Files may have matrices for keys and values also where they are not read.
  void take_attention(const std::string& prefix, const AttentionHeads& heads, bool shares_keys,
                      PlannedLayer& layer) {
    const int hidden = shape_.hidden;
    const int paired = shape_.paired_rows ? heads.head_dim : 0;
    const int parts = shape_.architecture->gated_attention ? 2 : 1;
    take_linear(prefix + "attn_q", parts * heads.query_width(), hidden, layer.query, paired);
    if (shape_.architecture->query_key_norm)
      take_norm(prefix + "attn_q_norm.weight", heads.head_dim, layer.query_norm);
    if (!shares_keys) take_keys_and_values(prefix, heads, layer);
    take_linear(prefix + "attn_output", hidden, heads.query_width(), layer.attention_output);
    if (shape_.architecture->has_sinks)
      take_vector(prefix + "attn_sinks.weight", shape_.heads, layer.sinks);
  }

  void take_keys_and_values(const std::string& prefix, const AttentionHeads& heads,
                            PlannedLayer& layer) {
    take_linear(prefix + "attn_k", heads.kv_width(), shape_.hidden, layer.key,
                shape_.paired_rows ? heads.head_dim : 0);
    if (!shape_.architecture->norms_values || files_.find_tensor(prefix + "attn_v.weight"))
      take_linear(prefix + "attn_v", heads.kv_width(), shape_.hidden, layer.value);
    if (shape_.architecture->query_key_norm)
      take_norm(prefix + "attn_k_norm.weight", heads.head_dim, layer.key_norm);
    if (shape_.architecture->norms_values)
      layer.value_norm.assign(static_cast<std::size_t>(heads.head_dim), 1);
  }

  void take_recurrence(const std::string& prefix, PlannedRecurrence& out) {
    if (shape_.architecture->has_delta_nets()) return take_delta_net(prefix, out);
    const int hidden = shape_.hidden;
    take_matrix(prefix + "shortconv.in_proj.weight", 3 * hidden, hidden, out.gates_and_input);
    take_convolution(prefix + "shortconv.conv.weight", out.convolution);
    take_matrix(prefix + "shortconv.out_proj.weight", hidden, hidden, out.output);
  }

  void take_delta_net(const std::string& prefix, PlannedRecurrence& out) {
    const kernels::DeltaShape& delta = shape_.delta;
    const int hidden = shape_.hidden;
    const int heads = delta.value_heads;
    if (files_.find_tensor(prefix + "ssm_in.weight")) {
      take_matrix(prefix + "ssm_in.weight", delta.channels() + delta.value_width(), hidden,
                  out.mixed_and_gate);
    } else {
      take_matrix(prefix + "attn_qkv.weight", delta.channels(), hidden, out.mixed);
      take_matrix(prefix + "attn_gate.weight", delta.value_width(), hidden, out.gate);
    }
    if (files_.find_tensor(prefix + "ssm_ba.weight")) {
      take_matrix(prefix + "ssm_ba.weight", 2 * heads, hidden, out.beta_and_alpha);
    } else {
      take_matrix(prefix + "ssm_alpha.weight", heads, hidden, out.alpha);
      take_matrix(prefix + "ssm_beta.weight", heads, hidden, out.beta);
    }
    take_convolution(prefix + "ssm_conv1d.weight", out.convolution);
    const bool has_suffix = files_.find_tensor(prefix + "ssm_dt.bias") != nullptr;
    take_vector(
        prefix + (has_suffix || !files_.find_tensor(prefix + "ssm_dt") ? "ssm_dt.bias" : "ssm_dt"),
        heads, out.decay_bias);
    take_vector(prefix + "ssm_a", heads, out.decay);
    if (shape_.stored_as_trained) {
      for (float& each : out.decay) each = -std::exp(each);
    }
    take_vector(prefix + "ssm_norm.weight", delta.value_dim, out.norm);
    take_matrix(prefix + "ssm_out.weight", hidden, delta.value_width(), out.output);
  }

  // From [channels, taps], between which a folder has a dimension of 1.
  void take_convolution(const std::string& name, std::vector<float>& out) {
    const kernels::ConvolutionShape shape = shape_.convolution();
    const auto taps = static_cast<std::size_t>(shape.taps);
    const auto channels = static_cast<std::size_t>(shape.channels);
    const StoredTensor* const tensor = files_.find_tensor(name);
    if (!tensor) return fail(files_.tensor_error(name, "missing"));
    std::vector<std::int64_t> given = tensor->shape;
    if (given.size() == 3 && given[1] == 1) given.erase(given.begin() + 1);
    const std::vector<std::int64_t> expected = {shape.taps, shape.channels};
    if (given != expected)
      return fail(files_.tensor_error(name, unexpected_shape(given, expected)));
    if (!are_finite(tensor->format, tensor->data)) return fail(not_finite(files_, name));
    std::vector<float> row(taps);
    out.resize(taps * channels);
    const std::size_t row_bytes = tensor->data.size() / channels;
    for (std::size_t i = 0; i < channels; ++i) {
      dequantize_row(tensor->format, tensor->data.data() + i * row_bytes, shape.taps, row.data());
      for (std::size_t tap = 0; tap < taps; ++tap) out[tap * channels + i] = row[tap];
    }
  }

  void take_norm(const std::string& name, int n, std::vector<float>& out) {
    take_vector(name, n, out);
    if (!shape_.stored_as_trained) return;
    for (float& each : out) each += 1;
  }

  void take_experts(int number, const std::string& prefix, PlannedLayer& layer) {
    const int hidden = shape_.hidden;
    const int width = shape_.feed_forward;
    take_linear(prefix + "ffn_gate_inp", shape_.experts, hidden, layer.router);
    layer.experts.resize(static_cast<std::size_t>(shape_.experts));
    for (int i = 0; i < shape_.experts; ++i) {
      PlannedExpert& expert = layer.experts[static_cast<std::size_t>(i)];
      take_matrix(expert_role({number, ExpertMatrix::kGate, i}), width, hidden, expert.gate);
      take_matrix(expert_role({number, ExpertMatrix::kUp, i}), width, hidden, expert.up);
      take_matrix(expert_role({number, ExpertMatrix::kDown, i}), hidden, width, expert.down);
    }
    take_expert_biases(prefix + "ffn_gate_exps.bias", layer.experts, &PlannedExpert::gate);
    take_expert_biases(prefix + "ffn_up_exps.bias", layer.experts, &PlannedExpert::up);
    take_expert_biases(prefix + "ffn_down_exps.bias", layer.experts, &PlannedExpert::down);
    const int shared = shape_.shared_feed_forward;
    if (shared == 0) return;
    take_score(prefix + "ffn_gate_inp_shexp.weight", layer.shared_gate);
    take_matrix(prefix + "ffn_gate_shexp.weight", shared, hidden, layer.shared_expert.gate);
    take_matrix(prefix + "ffn_up_shexp.weight", shared, hidden, layer.shared_expert.up);
    take_matrix(prefix + "ffn_down_shexp.weight", hidden, shared, layer.shared_expert.down);
  }

  // Those of all experts are in one tensor, [width, experts], if there are any. The architecture
  // with sinks has them always, and would be computed wrongly without.
  void take_expert_biases(const std::string& name, std::vector<PlannedExpert>& experts,
                          PlannedMatrix PlannedExpert::*matrix) {
    if (error_ || experts.empty()) return;
    if (!files_.find_tensor(name) && !shape_.architecture->has_sinks) return;
    const int width = (experts[0].*matrix).n;
    const auto count = static_cast<std::int64_t>(experts.size());
    const Result<const StoredTensor*> found = find_shaped(files_, name, {width, count});
    if (!found) return fail(found.error());
    if (!are_finite((*found)->format, (*found)->data)) return fail(not_finite(files_, name));
    const std::size_t row_bytes = (*found)->data.size() / experts.size();
    for (std::size_t i = 0; i < experts.size(); ++i) {
      std::vector<float>& bias = (experts[i].*matrix).bias;
      bias.resize(static_cast<std::size_t>(width));
      dequantize_row((*found)->format, (*found)->data.data() + i * row_bytes, width, bias.data());
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
    take_found(name, **found, n, k, out);
  }

  // A matrix of one output, which GGUF files store as a vector.
  void take_score(const std::string& name, PlannedMatrix& out) {
    const StoredTensor* const found = files_.find_tensor(name);
    const std::vector<std::int64_t> as_vector = {shape_.hidden};
    if (!found || found->shape != as_vector) return take_matrix(name, 1, shape_.hidden, out);
    take_found(name, *found, 1, shape_.hidden, out);
  }

  void take_found(const std::string& name, const StoredTensor& found, int n, int k,
                  PlannedMatrix& out) {
    out.role = name;
    out.source = &found;
    out.delta = files_.find_delta(name);
    out.format = held_format(found.format, out.delta);
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
