#pragma once

#include <filesystem>
#include <memory>

#include "decoding/model/model_files.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// The tokenizer of a model that is open.
Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const ModelFiles& files);

// That of a GGUF file or a Hugging Face folder, without touching the weights.
Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& path);

}  // namespace redraft
