#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "decoding/kernels/thread_pool.h"
#include "decoding/language_model.h"
#include "decoding/text/tokenizer.h"
#include "support/result.h"

namespace redraft {

struct LoadedModel {
  std::string name;  // general.name, or the file's
  std::string architecture;
  std::filesystem::path file;
  std::unique_ptr<LanguageModel> model;
  std::shared_ptr<const Tokenizer> tokenizer;
};

// Maps, checks and repacks a GGUF file. `pool` outlives the model. Every error names the file, the
// tensor or key, and the reason.
Result<LoadedModel> load_model(const std::filesystem::path& file, ThreadPool& pool);

// Its tokenizer alone, without touching the weights.
Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& file);

}  // namespace redraft
