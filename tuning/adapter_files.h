#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "support/result.h"
#include "tuning/lora_layout.h"

namespace redraft {

// Writes adapter_model.safetensors and adapter_config.json to an existing folder, in PEFT's format;
// each file is replaced as a whole. `parameters` are in the order of the layout; `base_model` is
// the name of the adapted model.
Result<void> write_adapter(const std::filesystem::path& folder, const LoraLayout& layout,
                           std::span<const float> parameters, const std::string& base_model);

}  // namespace redraft
