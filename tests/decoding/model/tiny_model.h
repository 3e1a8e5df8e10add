#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "decoding/kernels/half.h"
#include "decoding/model/architecture.h"
#include "tests/decoding/model/gguf_writer.h"

namespace redraft {

// A file of a few hundred kilobytes with random weights: everything that the loader checks, but a
// model that knows nothing.
struct TinyModel {
  std::string architecture = "qwen2";
  int layers = 2;
  int hidden = 64;
  int feed_forward = 96;  // of a mixture in each expert
  int heads = 4;
  int kv_heads = 2;
  int head_dim = 16;
  int vocabulary = 300;
  int context_length = 512;
  // In an architecture with sliding windows; every so many layers one has none.
  int window = 24;
  int window_kv_heads = 1;  // of gemma4, as the next
  int window_head_dim = 32;
  int unwindowed_every = 2;
  bool beside_experts = false;  // of gemma4: its dense blocks
  int sharing_layers = 0;       // of gemma4: the last ones, which are twice as wide
  int layer_input = 0;          // of gemma4
  int experts = 8;              // of a mixture
  int experts_used = 3;
  int shared_feed_forward = 64;  // of the expert that every row goes to
  // Of a hybrid: every so many layers one has attention, the others a state. 4: the layers'
  // default.
  int attention_every = 2;
  int key_heads = 2;  // of the recurrent layers
  int value_heads = 4;
  int key_dim = 32;
  int value_dim = 16;
  int taps = 4;      // of their convolutions
  bool mtp = false;  // of a hybrid: has an MTP block behind its layers
  bool tied = false;
  bool mixed_formats = false;      // every matrix in a different format, some of them floats
  std::string tokenizer = "gpt2";  // empty: the file has none
  bool chats = false;              // its tokenizer has the tokens that chats and completions need
  std::uint32_t seed = 1;
  std::vector<std::string> zeros = {};  // quantised matrices that are zero; the others stay

  GgufWriter writer() const {
    GgufWriter out;
    out.text("general.architecture", architecture);
    out.text("general.name", "tiny");
    const auto count = [&](const char* key, int value) {
      out.integer(architecture + "." + key, static_cast<std::uint32_t>(value));
    };
    count("block_count", layers + (mtp ? 1 : 0));
    if (mtp) count("nextn_predict_layers", 1);
    count("context_length", context_length);
    count("embedding_length", hidden);
    // That of a mixture is about layers without experts, of which it has none.
    if (sharing_layers > 0) {
      count("attention.shared_kv_layers", sharing_layers);
      std::vector<std::int32_t> widths;
      for (int i = 0; i < layers; ++i) widths.push_back(width_of(i));
      out.integers(architecture + ".feed_forward_length", widths);
    } else {
      count("feed_forward_length", is_mixture() ? 4 * feed_forward : feed_forward);
    }
    if (layer_input > 0) count("embedding_length_per_layer_input", layer_input);
    if (is_mixture() || beside_experts) {
      count("expert_count", experts);
      count("expert_used_count", experts_used);
      count("expert_feed_forward_length", feed_forward);
    }
    count("attention.head_count", heads);
    if (has_short_convolutions()) {
      std::vector<std::int32_t> each;
      for (int i = 0; i < layers; ++i) each.push_back(has_attention(i) ? kv_heads : 0);
      out.integers(architecture + ".attention.head_count_kv", each);
      count("shortconv.l_cache", taps);
    } else if (has_post_norms()) {
      std::vector<std::int32_t> each;
      for (int i = 0; i < layers; ++i) each.push_back(has_window(i) ? window_kv_heads : kv_heads);
      out.integers(architecture + ".attention.head_count_kv", each);
      out.real(architecture + ".final_logit_softcapping", 3.0F);
    } else {
      count("attention.head_count_kv", kv_heads);
    }
    if (head_dim * heads != hidden) count("attention.key_length", head_dim);
    if (has_delta_nets()) {
      count("rope.dimension_count", head_dim / 2);
      count("full_attention_interval", attention_every);
      count("ssm.group_count", key_heads);
      count("ssm.time_step_rank", value_heads);
      count("ssm.state_size", key_dim);
      count("ssm.inner_size", value_heads * value_dim);
      count("ssm.conv_kernel", taps);
      if (is_mixture()) count("expert_shared_feed_forward_length", shared_feed_forward);
    }
    if (has_windows()) {
      count("attention.sliding_window", window);
      std::vector<bool> windowed;
      for (int i = 0; i < layers; ++i) windowed.push_back(has_window(i));
      out.booleans(architecture + ".attention.sliding_window_pattern", windowed);
      if (has_post_norms()) count("attention.key_length_swa", window_head_dim);
      out.real(architecture + ".rope.freq_base_swa", 5000.0F);
    }
    out.real(architecture + ".rope.freq_base", 10000.0F);
    out.real(architecture + ".attention.layer_norm_rms_epsilon", 1e-6F);
    if (row() != nullptr) add_scales(out, *row());
    if (!tokenizer.empty()) add_tokenizer(out);
    std::mt19937 random(seed);
    if (!tied) add_matrix(out, "output.weight", vocabulary, hidden, random);
    add_matrix(out, "token_embd.weight", vocabulary, hidden, random);
    if (layer_input > 0) add_inputs_of_layers(out, random);
    for (int i = 0; i < layers; ++i) add_layer(out, i, has_attention(i), random);
    const std::string norm(row() ? row()->output_norm : "output_norm");
    add_vector(out, norm + ".weight", hidden, 1, random);
    if (mtp) add_mtp(out, random);
    return out;
  }

  // nullptr: redraft does not run it.
  const Architecture* row() const { return find_architecture(architecture); }
  bool has_query_key_norm() const { return row() != nullptr && row()->query_key_norm; }
  bool is_mixture() const { return row() != nullptr && row()->is_mixture; }
  bool is_hybrid() const { return row() != nullptr && row()->is_hybrid(); }
  bool has_post_norms() const { return row() != nullptr && row()->post_norms; }
  bool has_window(int layer) const { return has_windows() && (layer + 1) % unwindowed_every != 0; }
  bool shares_keys(int layer) const {
    return sharing_layers > 0 && layer >= layers - sharing_layers;
  }
  int width_of(int layer) const { return shares_keys(layer) ? 2 * feed_forward : feed_forward; }
  bool has_sinks() const { return row() != nullptr && row()->has_sinks; }
  bool has_windows() const { return row() != nullptr && row()->unwindowed_every > 0; }
  bool has_delta_nets() const { return row() != nullptr && row()->has_delta_nets(); }
  bool has_short_convolutions() const { return is_hybrid() && !has_delta_nets(); }
  bool has_attention(int layer) const { return !is_hybrid() || (layer + 1) % attention_every == 0; }

  // Scales that are far from 1, and a temperature that soon grows.
  static constexpr double kEmbeddingScale = 3, kResidualScale = 0.625, kAttentionScale = 0.375,
                          kLogitScale = 1.75, kTemperatureScale = 0.75, kLogMultiplier = 0.5;
  static constexpr int kOriginalContext = 16;
  void add_scales(GgufWriter& out, const Architecture& row) const {
    const auto real = [&](const char* key, double value) {
      out.real(architecture + "." + key, static_cast<float>(value));
    };
    if (row.has_scales) {
      real("embedding_scale", kEmbeddingScale);
      real("residual_scale", kResidualScale);
      real("attention.scale", kAttentionScale);
      real("logit_scale", kLogitScale);
    }
    if (row.query_temperature) {
      out.text(architecture + ".rope.scaling.type", "yarn");
      real("rope.scaling.factor", 8);
      out.integer(architecture + ".rope.scaling.original_context_length", kOriginalContext);
      real("rope.scaling.yarn_log_multiplier", kLogMultiplier);
      real("attention.temperature_scale", kTemperatureScale);
    }
  }

  // Every byte is a token, in the file's alphabet of printable characters; the other entries are
  // unused.
  void add_tokenizer(GgufWriter& out) const {
    std::vector<std::string> tokens;
    int stand_in = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
      const int code = printable ? byte : stand_in++;
      if (code < 128) {
        tokens.emplace_back(1, static_cast<char>(code));
      } else {
        tokens.push_back(
            {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))});
      }
    }
    std::vector<std::int32_t> types(256, 1);
    tokens.emplace_back("<|endoftext|>");
    types.push_back(3);
    for (const char* merged : {"th", "an"}) {
      tokens.emplace_back(merged);
      types.push_back(1);
    }
    if (chats) {
      for (const char* special : {"<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_suffix|>",
                                  "<|fim_middle|>", "<|fim_pad|>", "<|file_sep|>"}) {
        tokens.emplace_back(special);
        types.push_back(3);
      }
    }
    while (static_cast<int>(tokens.size()) < vocabulary) {
      tokens.push_back("[UNUSED" + std::to_string(tokens.size()) + "]");
      types.push_back(5);
    }
    out.text("tokenizer.ggml.model", tokenizer);
    out.text("tokenizer.ggml.pre", "qwen2");
    out.texts("tokenizer.ggml.tokens", tokens);
    out.integers("tokenizer.ggml.token_type", types);
    out.texts("tokenizer.ggml.merges", {"t h", "a n"});
    out.integer("tokenizer.ggml.eos_token_id", 256);
  }

 private:
  void add_layer(GgufWriter& out, int number, bool has_attention, std::mt19937& random) const {
    const std::string prefix = "blk." + std::to_string(number) + ".";
    add_vector(out, prefix + "attn_norm.weight", hidden, 1, random);
    if (has_attention) {
      add_attention(out, prefix, number, random);
    } else if (has_delta_nets()) {
      add_delta_net(out, prefix, random);
    } else {
      add_matrix(out, prefix + "shortconv.in_proj.weight", 3 * hidden, hidden, random);
      add_floats(out, prefix + "shortconv.conv.weight", hidden, taps, WeightFormat::kF32, random);
      add_matrix(out, prefix + "shortconv.out_proj.weight", hidden, hidden, random);
    }
    const std::string norm(row() ? row()->feed_forward_norm : "ffn_norm");
    add_vector(out, prefix + norm + ".weight", hidden, 1, random);
    if (is_mixture()) {
      add_floats(out, prefix + "ffn_gate_inp.weight", experts, hidden, WeightFormat::kF32, random);
      add_stack(out, prefix + "ffn_gate_exps.weight", feed_forward, hidden, random);
      add_stack(out, prefix + "ffn_up_exps.weight", feed_forward, hidden, random);
      add_stack(out, prefix + "ffn_down_exps.weight", hidden, feed_forward, random);
      if (has_delta_nets()) add_shared_expert(out, prefix, random);
      if (has_sinks()) add_expert_biases(out, prefix, random);
      return;
    }
    if (has_post_norms()) {
      add_vector(out, prefix + "post_attention_norm.weight", hidden, 1, random);
      add_vector(out, prefix + "post_ffw_norm.weight", hidden, 1, random);
      add_vector(out, prefix + "layer_output_scale.weight", 1, 1, random);
      if (beside_experts) add_beside_experts(out, prefix, random);
    }
    add_matrix(out, prefix + "ffn_gate.weight", width_of(number), hidden, random);
    add_matrix(out, prefix + "ffn_up.weight", width_of(number), hidden, random);
    add_matrix(out, prefix + "ffn_down.weight", hidden, width_of(number), random);
    if (layer_input == 0) return;
    add_matrix(out, prefix + "inp_gate.weight", layer_input, hidden, random);
    add_matrix(out, prefix + "proj.weight", hidden, layer_input, random);
    add_vector(out, prefix + "post_norm.weight", hidden, 1, random);
  }
  void add_inputs_of_layers(GgufWriter& out, std::mt19937& random) const {
    add_matrix(out, "per_layer_token_embd.weight", vocabulary, layers * layer_input, random);
    add_matrix(out, "per_layer_model_proj.weight", layers * layer_input, hidden, random);
    add_vector(out, "per_layer_proj_norm.weight", layer_input, 1, random);
  }
  void add_mtp(GgufWriter& out, std::mt19937& random) const {
    const std::string prefix = "blk." + std::to_string(layers) + ".nextn.";
    add_matrix(out, prefix + "eh_proj.weight", hidden, 2 * hidden, random);
    for (const char* norm : {"enorm", "hnorm", "shared_head_norm"})
      add_vector(out, prefix + norm + ".weight", hidden, 1, random);
    add_layer(out, layers, true, random);
  }
  void add_attention(GgufWriter& out, const std::string& prefix, int number,
                     std::mt19937& random) const {
    const bool windowed = has_window(number);
    const bool shares = shares_keys(number);
    const bool other = windowed && has_post_norms();
    const int dim = other ? window_head_dim : head_dim;
    const int width = dim * heads;
    const int kv_width = dim * (other ? window_kv_heads : kv_heads);
    add_matrix(out, prefix + "attn_q.weight", (has_delta_nets() ? 2 : 1) * width, hidden, random);
    if (!has_query_key_norm()) add_vector(out, prefix + "attn_q.bias", width, 0, random);
    if (!shares) add_matrix(out, prefix + "attn_k.weight", kv_width, hidden, random);
    if (!has_query_key_norm()) add_vector(out, prefix + "attn_k.bias", kv_width, 0, random);
    if (!shares && (!has_post_norms() || windowed))  // keys are values elsewhere
      add_matrix(out, prefix + "attn_v.weight", kv_width, hidden, random);
    if (has_query_key_norm()) {
      add_vector(out, prefix + "attn_q_norm.weight", dim, 1, random);
      if (!shares) add_vector(out, prefix + "attn_k_norm.weight", dim, 1, random);
    } else {
      add_vector(out, prefix + "attn_v.bias", kv_width, 0, random);
    }
    add_matrix(out, prefix + "attn_output.weight", hidden, width, random);
    if (has_sinks()) {
      add_vector(out, prefix + "attn_output.bias", hidden, 0, random);
      add_vector(out, prefix + "attn_sinks.weight", heads, 0, random);
    }
  }
  void add_delta_net(GgufWriter& out, const std::string& prefix, std::mt19937& random) const {
    const int values = value_heads * value_dim;
    const int channels = 2 * key_heads * key_dim + values;
    const bool joined = !row()->tiles_value_heads;  // alpha and beta, in one matrix
    add_matrix(out, prefix + "attn_qkv.weight", channels, hidden, random);
    add_matrix(out, prefix + "attn_gate.weight", values, hidden, random);
    if (joined) {
      add_matrix(out, prefix + "ssm_ba.weight", 2 * value_heads, hidden, random);
    } else {
      add_matrix(out, prefix + "ssm_alpha.weight", value_heads, hidden, random);
      add_matrix(out, prefix + "ssm_beta.weight", value_heads, hidden, random);
    }
    add_floats(out, prefix + "ssm_conv1d.weight", channels, taps, WeightFormat::kF32, random);
    add_vector(out, prefix + "ssm_dt.bias", value_heads, 0, random);
    add_vector(out, prefix + "ssm_a", value_heads, -0.5F, random);
    add_vector(out, prefix + "ssm_norm.weight", value_dim, 1, random);
    add_matrix(out, prefix + "ssm_out.weight", hidden, values, random);
  }
  void add_shared_expert(GgufWriter& out, const std::string& prefix, std::mt19937& random) const {
    add_vector(out, prefix + "ffn_gate_inp_shexp.weight", hidden, 0, random);
    add_matrix(out, prefix + "ffn_gate_shexp.weight", shared_feed_forward, hidden, random);
    add_matrix(out, prefix + "ffn_up_shexp.weight", shared_feed_forward, hidden, random);
    add_matrix(out, prefix + "ffn_down_shexp.weight", hidden, shared_feed_forward, random);
  }
  void add_beside_experts(GgufWriter& out, const std::string& prefix, std::mt19937& random) const {
    add_floats(out, prefix + "ffn_gate_inp.weight", experts, hidden, WeightFormat::kF32, random);
    add_vector(out, prefix + "ffn_gate_inp.scale", hidden, 1, random);
    add_stack(out, prefix + "ffn_gate_up_exps.weight", 2 * feed_forward, hidden, random);
    add_stack(out, prefix + "ffn_down_exps.weight", hidden, feed_forward, random);
    add_vector(out, prefix + "ffn_down_exps.scale", experts, 1, random);
    for (const char* norm : {"pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"})
      add_vector(out, prefix + norm + ".weight", hidden, 1, random);
  }
  void add_expert_biases(GgufWriter& out, const std::string& prefix, std::mt19937& random) const {
    add_vector(out, prefix + "ffn_gate_inp.bias", experts, 0, random);
    const auto add = [&](const char* name, int width) {
      add_floats(out, prefix + name, experts, width, WeightFormat::kF32, random);
    };
    add("ffn_gate_exps.bias", feed_forward);
    add("ffn_up_exps.bias", feed_forward);
    add("ffn_down_exps.bias", hidden);
  }
  static void add_vector(GgufWriter& out, const std::string& name, int n, float middle,
                         std::mt19937& random) {
    std::vector<std::uint8_t> data(sizeof(float) * static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      const float value = middle + unit(random) / 4;
      std::memcpy(data.data() + sizeof(float) * static_cast<std::size_t>(i), &value, sizeof(float));
    }
    out.tensor({name, {n}, WeightFormat::kF32, std::move(data)});
  }
  void add_matrix(GgufWriter& out, const std::string& name, int n, int k,
                  std::mt19937& random) const {
    switch (mixed_formats ? out.tensors().size() % 4 : 0) {
      case 1:
        return add_floats(out, name, n, k, WeightFormat::kF16, random);
      case 2:
        return add_floats(out, name, n, k, WeightFormat::kBF16, random);
      case 3:
        return add_floats(out, name, n, k, WeightFormat::kF32, random);
      default:
        return add_quantised(out, name, n, k, std::ranges::count(zeros, name) > 0, random);
    }
  }
  // The matrices of all experts in one tensor, in one format.
  void add_stack(GgufWriter& out, const std::string& name, int n, int k,
                 std::mt19937& random) const {
    add_matrix(out, name, experts * n, k, random);
    out.tensors().back().shape = {k, n, experts};
  }
  static void add_floats(GgufWriter& out, const std::string& name, int n, int k,
                         WeightFormat format, std::mt19937& random) {
    std::vector<std::uint8_t> data;
    for (int i = 0; i < n * k; ++i) {
      const float value = unit(random) / 4;
      const auto bits = std::bit_cast<std::uint32_t>(value);
      const std::uint16_t half = format == WeightFormat::kF16
                                     ? kernels::float_to_half(value)
                                     : static_cast<std::uint16_t>(bits >> 16);
      const auto* bytes = format == WeightFormat::kF32
                              ? reinterpret_cast<const std::uint8_t*>(&bits)
                              : reinterpret_cast<const std::uint8_t*>(&half);
      data.insert(data.end(), bytes, bytes + (format == WeightFormat::kF32 ? 4 : 2));
    }
    out.tensor({name, {k, n}, format, std::move(data)});
  }
  // Q8_0: blocks of 32 int8 after one half-precision scale.
  static void add_quantised(GgufWriter& out, const std::string& name, int n, int k, bool zero,
                            std::mt19937& random) {
    std::vector<std::uint8_t> data;
    for (int block = 0; block < n * k / 32; ++block) {
      data.push_back(0x00);
      data.push_back(0x18);  // 2^-9
      for (int i = 0; i < 32; ++i) {
        const auto code = static_cast<std::int8_t>(127 * unit(random));
        data.push_back(zero ? 0 : static_cast<std::uint8_t>(code));
      }
    }
    out.tensor({name, {k, n}, WeightFormat::kQ8_0, std::move(data)});
  }
  static float unit(std::mt19937& random) {
    return static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
  }
};

}  // namespace redraft
