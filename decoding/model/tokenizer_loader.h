#pragma once

#include <filesystem>
#include <memory>

#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// The tokenizer of a model that is open. With `control.chat_renderer` it runs a chat template whose
// format redraft does not know, and `control.notice` hears if that fails.
Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const ModelFiles& files,
                                                        const LoadControl& control = {});

// That of a GGUF file or a Hugging Face folder, without touching the weights.
Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& path);

}  // namespace redraft
