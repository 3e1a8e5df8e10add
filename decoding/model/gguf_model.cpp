#include <utility>

#include "decoding/model/model_files.h"
#include "decoding/model/tokenizer_spec.h"

namespace redraft {

namespace {

// Roles are named as GGUF names its tensors, so nothing has to be translated.
class GgufModel : public ModelFiles {
 public:
  explicit GgufModel(GgufFile file) : file_(std::move(file)) {}

  const std::string& path() const override { return file_.name(); }
  std::string name() const override {
    const Result<std::string_view> given = file_.text("general.name");
    return given ? std::string(*given) : std::filesystem::path(path()).filename().string();
  }
  Result<TransformerShape> shape() const override { return read_shape(file_); }
  Result<TokenizerSpec> tokenizer_spec() const override { return read_tokenizer_spec(file_); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    return file_.find_tensor(role);
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    return file_.tensor_error(role, reason);
  }
  void release_pages() const override { file_.release_pages(); }

 private:
  GgufFile file_;
};

}  // namespace

std::unique_ptr<const ModelFiles> gguf_model(GgufFile file) {
  return std::make_unique<GgufModel>(std::move(file));
}

}  // namespace redraft
