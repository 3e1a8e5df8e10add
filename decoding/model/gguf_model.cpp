#include <optional>
#include <string>
#include <utility>

#include "decoding/model/expert_stacks.h"
#include "decoding/model/model_files.h"
#include "decoding/model/tokenizer_spec.h"

namespace redraft {

namespace {

// Roles are named as GGUF names its tensors, so nothing has to be translated except for experts,
// whose matrices are cut out of their layer's stacks.
class GgufModel : public ModelFiles {
 public:
  explicit GgufModel(GgufFile file) : file_(std::move(file)) {
    const Result<TransformerShape> shape = read_shape(file_);  // which checks the stacks
    if (!shape) return;
    experts_ = ExpertStacks::cut(
        *shape, [this](std::string_view stack) { return file_.find_tensor(stack); });
  }

  const std::string& path() const override { return file_.name(); }
  std::string name() const override {
    const Result<std::string_view> given = file_.text("general.name");
    return given ? std::string(*given) : std::filesystem::path(path()).filename().string();
  }
  Result<TransformerShape> shape() const override { return read_shape(file_); }
  Result<TokenizerSpec> tokenizer_spec() const override { return read_tokenizer_spec(file_); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    const StoredTensor* const expert = experts_.find(role);
    return expert ? expert : file_.find_tensor(role);
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    const std::optional<ExpertStacks::Place> place = experts_.place(role);
    if (!place) return file_.tensor_error(role, reason);
    return file_.tensor_error(
        place->stack, "expert " + std::to_string(place->expert) + ": " + std::string(reason));
  }
  void release_pages() const override { file_.release_pages(); }

 private:
  GgufFile file_;
  ExpertStacks experts_;
};

}  // namespace

std::unique_ptr<const ModelFiles> gguf_model(GgufFile file) {
  return std::make_unique<GgufModel>(std::move(file));
}

}  // namespace redraft
