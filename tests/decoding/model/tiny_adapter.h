#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "decoding/model/adapter.h"
#include "tests/decoding/model/safetensors_writer.h"
#include "tests/decoding/model/tiny_folder.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {

// A LoRA of every linear layer of a TinyModel but its head, as PEFT writes it.
class TinyAdapter {
 public:
  struct Layer {
    std::string module;
    int n;
    int k;
    std::vector<float> a;  // [rank, k]
    std::vector<float> b;  // [n, rank]
  };

  explicit TinyAdapter(const TinyModel& model, int rank = 4, float spread = 0.25F,
                       std::uint32_t seed = 5)
      : rank_(rank), random_(seed), spread_(spread), mixture_(model.is_mixture()) {
    const int width = model.head_dim * model.heads;
    const int kv_width = model.head_dim * model.kv_heads;
    for (int i = 0; i < model.layers; ++i) {
      const std::string prefix = "model.layers." + std::to_string(i) + ".";
      add(prefix + "self_attn.q_proj", width, model.hidden);
      add(prefix + "self_attn.k_proj", kv_width, model.hidden);
      add(prefix + "self_attn.v_proj", kv_width, model.hidden);
      add(prefix + "self_attn.o_proj", model.hidden, width);
      if (model.is_mixture()) {
        // Not every expert has to be adapted.
        for (int expert = 0; expert < model.experts; expert += 2)
          add_block(prefix + "mlp.experts." + std::to_string(expert) + ".", model);
      } else {
        add_block(prefix + "mlp.", model);
      }
    }
  }

  int rank() const { return rank_; }
  std::vector<Layer>& layers() { return layers_; }
  const std::vector<Layer>& layers() const { return layers_; }

  SafetensorsWriter weights() const {
    SafetensorsWriter writer;
    for (const Layer& layer : layers_) {
      const std::string name = "base_model.model." + layer.module;
      writer.floats(name + ".lora_A.weight", {rank_, layer.k}, layer.a);
      writer.floats(name + ".lora_B.weight", {layer.n, rank_}, layer.b);
    }
    return writer;
  }

  // `more` are members of their own, each with a comma in front.
  std::string config(const std::string& more = "") const {
    return R"({"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": "tiny",)"
           R"( "r": )" +
           std::to_string(rank_) + R"(, "lora_alpha": )" + std::to_string(2 * rank_) +
           R"(, "lora_dropout": 0.1, "bias": "none", "fan_in_fan_out": false,)"
           R"( "inference_mode": true, "init_lora_weights": true, "modules_to_save": null,)"
           R"( "rank_pattern": {}, "use_dora": false, "use_rslora": false,)"
           R"( "runtime_config": {"ephemeral_gpu_offload": false}, "target_modules": ["q_proj",)"
           R"( "k_proj", "v_proj", "o_proj", "gate_proj", )" +
           (mixture_ ? R"("up_proj")" : R"("mlp.up_proj")") + R"(, "down_proj"])" + more + "}";
  }

  void write(const std::filesystem::path& folder) const {
    write(folder, config(), weights().bytes());
  }
  static void write(const std::filesystem::path& folder, const std::string& config,
                    const std::vector<std::uint8_t>& weights) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    TinyFolder::write_text(folder / Adapter::kConfigName, config);
    TinyFolder::write_text(folder / Adapter::kWeightsName,
                           {reinterpret_cast<const char*>(weights.data()), weights.size()});
  }

  // The weights [n, k] of the layer with `scale`·B·A added, in the order of sums that redraft
  // promises.
  static void merge(const Layer& layer, int rank, float scale, std::vector<float>& weights) {
    for (int row = 0; row < layer.n; ++row) {
      for (int r = 0; r < rank; ++r) {
        const float factor = layer.b[index(row, rank, r)] * scale;
        for (int i = 0; i < layer.k; ++i)
          weights[index(row, layer.k, i)] += factor * layer.a[index(r, layer.k, i)];
      }
    }
  }

 private:
  static std::size_t index(int row, int width, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }
  std::vector<float> numbers(int count) {
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& number : out)
      number = spread_ * (static_cast<float>(random_() % 2001) / 1000.0F - 1.0F);
    return out;
  }
  void add_block(const std::string& prefix, const TinyModel& model) {
    add(prefix + "gate_proj", model.feed_forward, model.hidden);
    add(prefix + "up_proj", model.feed_forward, model.hidden);
    add(prefix + "down_proj", model.hidden, model.feed_forward);
  }
  void add(std::string module, int n, int k) {
    layers_.push_back({std::move(module), n, k, numbers(rank_ * k), numbers(n * rank_)});
  }

  int rank_;
  std::mt19937 random_;
  float spread_;
  bool mixture_;
  std::vector<Layer> layers_;
};

}  // namespace redraft
