#include "decoding/model/tokenizer_loader.h"

#include <utility>

namespace redraft {

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const ModelFiles& files) {
  Result<TokenizerSpec> spec = files.tokenizer_spec();
  if (!spec) return spec.error();
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(*spec));
  if (!tokenizer) return tokenizer.error().in(files.path());
  return tokenizer;
}

Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& path) {
  const Result<std::unique_ptr<const ModelFiles>> files = open_model_files(path);
  if (!files) return files.error();
  return make_tokenizer(**files);
}

}  // namespace redraft
