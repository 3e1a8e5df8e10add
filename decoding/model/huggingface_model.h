#pragma once

#include <filesystem>
#include <memory>

#include "decoding/model/model_files.h"
#include "support/result.h"

namespace redraft {

// Whether `path` is a folder with a config.json, as Hugging Face's tools write models.
bool is_huggingface_folder(const std::filesystem::path& path);

// Reads config.json, model.safetensors or its shards with model.safetensors.index.json,
// tokenizer.json and, if present, generation_config.json and tokenizer_config.json. Shards must be
// in the folder. Every tensor must have a role: one that redraft would not use (a LoRA's, an extra
// bias) would change what the model says. Errors name the file, the tensor or key, and the reason.
Result<std::unique_ptr<const ModelFiles>> open_huggingface_model(
    const std::filesystem::path& folder);

}  // namespace redraft
