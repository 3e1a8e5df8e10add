#include "decoding/model/model_loader.h"

#include <exception>
#include <utility>

#include "decoding/kernels/linear.h"
#include "decoding/model/gguf.h"
#include "decoding/model/tokenizer_spec.h"
#include "decoding/model/transformer.h"
#include "decoding/model/transformer_shape.h"

namespace redraft {

namespace {

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const GgufFile& file) {
  Result<TokenizerSpec> spec = read_tokenizer_spec(file);
  if (!spec) return spec.error();
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(*spec));
  if (!tokenizer) return tokenizer.error().in(file.name());
  return tokenizer;
}

Result<LoadedModel> load_checked(const std::filesystem::path& path, ThreadPool& pool) {
  Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();
  // What is quick to check comes before the weights, and whether the model is of a kind that we run
  // before all: that says more than what else we cannot read of it.
  const Result<TransformerShape> shape = read_shape(*file);
  if (!shape) return shape.error();
  LoadedModel loaded;
  loaded.file = path;
  loaded.architecture = shape->architecture;
  Result<std::shared_ptr<const Tokenizer>> tokenizer = make_tokenizer(*file);
  if (!tokenizer) return tokenizer.error();
  if ((*tokenizer)->vocabulary_size() > shape->vocabulary) {
    return Error(path.string() + ": its tokenizer has " +
                 std::to_string((*tokenizer)->vocabulary_size()) + " tokens, its embedding only " +
                 std::to_string(shape->vocabulary));
  }
  Result<std::unique_ptr<LanguageModel>> model =
      load_transformer(std::move(*file), kernels::best_isa(), pool);
  if (!model) return model.error();
  loaded.tokenizer = std::move(*tokenizer);
  loaded.model = std::move(*model);
  loaded.name = loaded.model->name();
  return loaded;
}

}  // namespace

Result<LoadedModel> load_model(const std::filesystem::path& file, ThreadPool& pool) {
  // torch reports a failed allocation by throwing; nothing else here does.
  try {
    return load_checked(file, pool);
  } catch (const std::exception&) {
    return Error(file.string() + ": not enough memory for its weights");
  }
}

Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& file) {
  Result<GgufFile> opened = GgufFile::open(file);
  if (!opened) return opened.error();
  return make_tokenizer(*opened);
}

}  // namespace redraft
