#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/kernels/weight_format.h"
#include "tests/decoding/model/safetensors_writer.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {

// The model of a TinyModel file with its weights unpacked to floats, once as GGUF and once as a
// Hugging Face folder.
class TinyFolder {
 public:
  explicit TinyFolder(const TinyModel& model) : model_(model), gguf_(model.writer()) {
    for (GgufWriter::Tensor& tensor : gguf_.tensors()) {
      to_floats(tensor);
      if (tensor.shape.size() == 3) {
        add_experts(tensor);
        continue;
      }
      std::vector<std::int64_t> shape(tensor.shape.rbegin(), tensor.shape.rend());
      tensors_.push_back({name_of(tensor.name), "F32", std::move(shape), unpaired(tensor)});
    }
  }

  std::vector<std::uint8_t> gguf() const { return gguf_.bytes(); }
  std::vector<SafetensorsWriter::Tensor>& tensors() { return tensors_; }

  std::string config() const {
    const auto number = [](const char* key, int value) {
      return std::string(", \"") + key + "\": " + std::to_string(value);
    };
    const std::string mixture = model_.is_mixture()
                                    ? number("num_experts", model_.experts) +
                                          number("num_experts_per_tok", model_.experts_used) +
                                          number("moe_intermediate_size", model_.feed_forward) +
                                          R"(, "norm_topk_prob": true, "decoder_sparse_step": 1)" +
                                          R"(, "mlp_only_layers": [])"
                                    : "";
    const std::string type(model_.row()->huggingface);
    return "{\"model_type\": \"" + type + "\"" + mixture + scales() + windows() +
           number("num_hidden_layers", model_.layers) +
           number("max_position_embeddings", model_.context_length) +
           number("hidden_size", model_.hidden) + number("intermediate_size", model_.feed_forward) +
           number("num_attention_heads", model_.heads) +
           number("num_key_value_heads", model_.kv_heads) + number("head_dim", model_.head_dim) +
           number("vocab_size", model_.vocabulary) +
           ", \"rms_norm_eps\": 1e-6, \"rope_theta\": 10000.0, \"hidden_act\": \"silu\"" +
           ", \"tie_word_embeddings\": " + (model_.tied ? "true" : "false") + "}";
  }

  // What TinyModel::add_scales() writes to GGUF files.
  std::string scales() const {
    const auto real = [](const char* key, double value) {
      return std::string(", \"") + key + "\": " + std::to_string(value);
    };
    if (model_.row()->has_scales) {
      return real("embedding_multiplier", TinyModel::kEmbeddingScale) +
             real("residual_multiplier", TinyModel::kResidualScale) +
             real("attention_multiplier", TinyModel::kAttentionScale) +
             real("logits_scaling", TinyModel::kLogitScale);
    }
    if (!model_.row()->query_temperature) return "";
    return R"(, "rope_parameters": {"rope_type": "yarn", "factor": 8, "mscale": 1)" +
           real("mscale_all_dim", TinyModel::kLogMultiplier) +
           real("llama_4_scaling_beta", TinyModel::kTemperatureScale) +
           ", \"original_max_position_embeddings\": " +
           std::to_string(TinyModel::kOriginalContext) + "}";
  }

  // What TinyModel writes to GGUF files of an architecture with sliding windows.
  std::string windows() const {
    if (!model_.has_windows()) return "";
    std::string types;
    for (int i = 0; i < model_.layers; ++i)
      types += std::string(i > 0 ? ", " : "") +
               (model_.has_window(i) ? "\"sliding_attention\"" : "\"full_attention\"");
    return ", \"sliding_window\": " + std::to_string(model_.window) + ", \"layer_types\": [" +
           types + R"(], "rope_parameters": {"full_attention": {"rope_theta": 10000.0},)" +
           R"( "sliding_attention": {"rope_theta": 5000.0}})";
  }

  // Removes what was there.
  void write(const std::filesystem::path& folder, std::size_t shards = 1) const {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    write_text(folder / "config.json", config());
    std::string index;
    for (std::size_t i = 0; i < shards; ++i) {
      const std::string name =
          shards == 1 ? "model.safetensors" : "model-" + std::to_string(i) + ".safetensors";
      SafetensorsWriter writer;
      for (std::size_t t = i; t < tensors_.size(); t += shards) {
        writer.tensor(tensors_[t]);
        index += (index.empty() ? "\"" : ", \"") + tensors_[t].name + "\": \"" + name + "\"";
      }
      const std::vector<std::uint8_t> bytes = writer.bytes();
      write_text(folder / name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    if (shards > 1)
      write_text(folder / "model.safetensors.index.json", "{\"weight_map\": {" + index + "}}");
  }
  static void write_text(const std::filesystem::path& file, std::string_view text) {
    std::ofstream(file, std::ios::binary)
        .write(text.data(), static_cast<std::streamsize>(text.size()));
  }

 private:
  // GGUF stacks the experts of a layer.
  void add_experts(const GgufWriter::Tensor& stack) {
    const auto experts = static_cast<std::size_t>(stack.shape[2]);
    const std::size_t bytes = stack.data.size() / experts;
    const std::size_t end = stack.name.find("_exps");
    const std::size_t dot = stack.name.find('.', 4);
    for (std::size_t i = 0; i < experts; ++i) {
      const auto begin = stack.data.begin() + static_cast<std::ptrdiff_t>(i * bytes);
      tensors_.push_back({"model.layers." + stack.name.substr(4, dot - 3) + "mlp.experts." +
                              std::to_string(i) + "." + stack.name.substr(dot + 5, end - dot - 5) +
                              "_proj.weight",
                          "F32",
                          {stack.shape[1], stack.shape[0]},
                          {begin, begin + static_cast<std::ptrdiff_t>(bytes)}});
    }
  }

  static void to_floats(GgufWriter::Tensor& tensor) {
    const auto columns = static_cast<std::size_t>(tensor.shape[0]);
    std::size_t rows = 1;
    for (std::size_t d = 1; d < tensor.shape.size(); ++d)
      rows *= static_cast<std::size_t>(tensor.shape[d]);
    std::vector<std::uint8_t> floats(rows * columns * sizeof(float));
    std::vector<float> row(columns);
    for (std::size_t r = 0; r < rows; ++r) {
      dequantize_row(tensor.format, tensor.data.data() + r * (tensor.data.size() / rows),
                     static_cast<int>(columns), row.data());
      std::memcpy(floats.data() + r * columns * sizeof(float), row.data(), columns * sizeof(float));
    }
    tensor.format = WeightFormat::kF32;
    tensor.data = std::move(floats);
  }

  // GGUF has the rows of some architectures' queries and keys in pairs, Hugging Face in halves.
  std::vector<std::uint8_t> unpaired(const GgufWriter::Tensor& tensor) const {
    const bool pairs = tensor.name.find("attn_q.") != tensor.name.npos ||
                       tensor.name.find("attn_k.") != tensor.name.npos;
    if (!model_.row()->pairs_neighbours || !pairs) return tensor.data;
    const auto rows = static_cast<std::size_t>(tensor.shape.back());
    const std::size_t bytes = tensor.data.size() / rows;
    const auto head = static_cast<std::size_t>(model_.head_dim);
    std::vector<std::uint8_t> out(tensor.data.size());
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = row % head;
      const std::size_t target = row - at + at % 2 * (head / 2) + at / 2;
      std::memcpy(out.data() + target * bytes, tensor.data.data() + row * bytes, bytes);
    }
    return out;
  }

  static std::string name_of(const std::string& role) {
    constexpr std::array<std::pair<const char*, const char*>, 16> kNames = {{
        {"token_embd", "model.embed_tokens"},
        {"output_norm", "model.norm"},
        {"attn_output", "self_attn.o_proj"},
        {"output", "lm_head"},
        {"attn_norm", "input_layernorm"},
        {"attn_q_norm", "self_attn.q_norm"},
        {"attn_k_norm", "self_attn.k_norm"},
        {"attn_q", "self_attn.q_proj"},
        {"attn_k", "self_attn.k_proj"},
        {"attn_v", "self_attn.v_proj"},
        {"ffn_norm", "post_attention_layernorm"},
        {"post_attention_norm", "post_attention_layernorm"},
        {"ffn_gate", "mlp.gate_proj"},
        {"ffn_gate_inp", "mlp.gate"},
        {"ffn_up", "mlp.up_proj"},
        {"ffn_down", "mlp.down_proj"},
    }};
    std::string prefix;
    std::string rest = role;
    if (role.starts_with("blk.")) {
      const std::size_t dot = role.find('.', 4);
      prefix = "model.layers." + role.substr(4, dot - 3);
      rest = role.substr(dot + 1);
    }
    for (const auto& [ours, theirs] : kNames) {
      const std::string stem = std::string(ours) + ".";
      if (rest.starts_with(stem)) return prefix + theirs + "." + rest.substr(stem.size());
    }
    return role;
  }

  TinyModel model_;
  GgufWriter gguf_;
  std::vector<SafetensorsWriter::Tensor> tensors_;
};

}  // namespace redraft
