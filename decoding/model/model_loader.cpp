#include "decoding/model/model_loader.h"

#include <exception>
#include <utility>

#include "decoding/kernels/linear.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer.h"

namespace redraft {

namespace {

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const ModelFiles& files) {
  Result<TokenizerSpec> spec = files.tokenizer_spec();
  if (!spec) return spec.error();
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(*spec));
  if (!tokenizer) return tokenizer.error().in(files.path());
  return tokenizer;
}

Result<LoadedModel> load_checked(const std::filesystem::path& path, ThreadPool& pool) {
  Result<std::unique_ptr<const ModelFiles>> files = open_model_files(path);
  if (!files) return files.error();
  // What is quick to check comes before the weights, and whether the model is of a kind that we run
  // before all: that says more than what else we cannot read of it.
  const Result<TransformerShape> shape = (*files)->shape();
  if (!shape) return shape.error();
  LoadedModel loaded;
  loaded.file = path;
  loaded.architecture = shape->architecture;
  Result<std::shared_ptr<const Tokenizer>> tokenizer = make_tokenizer(**files);
  if (!tokenizer) return tokenizer.error();
  if ((*tokenizer)->vocabulary_size() > shape->vocabulary) {
    return Error(path.string() + ": its tokenizer has " +
                 std::to_string((*tokenizer)->vocabulary_size()) + " tokens, its embedding only " +
                 std::to_string(shape->vocabulary));
  }
  Result<std::unique_ptr<LanguageModel>> model =
      load_transformer(std::move(*files), kernels::best_isa(), pool);
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
  const Result<std::unique_ptr<const ModelFiles>> files = open_model_files(file);
  if (!files) return files.error();
  return make_tokenizer(**files);
}

}  // namespace redraft
