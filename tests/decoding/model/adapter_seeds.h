#pragma once

#include "tests/decoding/model/safetensors_writer.h"

namespace redraft {

// The adapter that fuzzing begins from: of layers of three outputs by four inputs, with r = 2.
inline constexpr const char* kAdapterSeedConfig =
    R"({"peft_type": "LORA", "r": 2, "lora_alpha": 4, "use_rslora": false, "bias": "none",)"
    R"( "init_lora_weights": true, "modules_to_save": null, "rank_pattern": {},)"
    R"( "target_modules": ["q_proj", "mlp.down_proj"]})";

inline SafetensorsWriter adapter_seed_weights() {
  SafetensorsWriter writer;
  for (const char* module : {"layers.0.self_attn.q_proj", "layers.1.mlp.down_proj"}) {
    const std::string name = std::string("base_model.model.model.") + module;
    writer.floats(name + ".lora_A.weight", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    writer.tensor(
        {name + ".lora_B.weight", "BF16", {3, 2}, {0, 63, 128, 63, 0, 64, 1, 1, 2, 2, 3, 3}});
  }
  return writer;
}

}  // namespace redraft
