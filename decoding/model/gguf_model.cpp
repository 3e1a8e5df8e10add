#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "decoding/model/expert_roles.h"
#include "decoding/model/model_files.h"
#include "decoding/model/tokenizer_spec.h"

namespace redraft {

namespace {

// Roles are named as GGUF names its tensors, so nothing has to be translated except for experts,
// whose matrices are cut out of their layer's stacks.
class GgufModel : public ModelFiles {
 public:
  explicit GgufModel(GgufFile file) : file_(std::move(file)) {
    const Result<TransformerShape> shape = read_shape(file_);
    if (shape) cut_stacks(*shape);
  }

  const std::string& path() const override { return file_.name(); }
  std::string name() const override {
    const Result<std::string_view> given = file_.text("general.name");
    return given ? std::string(*given) : std::filesystem::path(path()).filename().string();
  }
  Result<TransformerShape> shape() const override { return read_shape(file_); }
  Result<TokenizerSpec> tokenizer_spec() const override { return read_tokenizer_spec(file_); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    const auto expert = experts_.find(role);
    return expert == experts_.end() ? file_.find_tensor(role) : &expert->second;
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    const std::optional<ExpertPlace> place = parse_expert_role(role);
    if (!place || !experts_.contains(role)) return file_.tensor_error(role, reason);
    return file_.tensor_error(
        stacked_experts_name(place->layer, place->matrix),
        "expert " + std::to_string(place->expert) + ": " + std::string(reason));
  }
  void release_pages() const override { file_.release_pages(); }

 private:
  // read_shape() has found each stack, [columns, rows, experts].
  void cut_stacks(const TransformerShape& shape) {
    for (int layer = 0; layer < (shape.experts > 0 ? shape.layers : 0); ++layer) {
      for (const ExpertMatrix matrix : kExpertMatrices) {
        const StoredTensor& stack = *file_.find_tensor(stacked_experts_name(layer, matrix));
        const std::size_t bytes = stack.data.size() / static_cast<std::size_t>(shape.experts);
        for (int i = 0; i < shape.experts; ++i) {
          experts_.emplace(
              expert_role({layer, matrix, i}),
              StoredTensor{.name = stack.name,
                           .format = stack.format,
                           .shape = {stack.shape[0], stack.shape[1]},
                           .data = stack.data.subspan(static_cast<std::size_t>(i) * bytes, bytes)});
        }
      }
    }
  }

  GgufFile file_;
  std::map<std::string, StoredTensor, std::less<>> experts_;  // by role
};

}  // namespace

std::unique_ptr<const ModelFiles> gguf_model(GgufFile file) {
  return std::make_unique<GgufModel>(std::move(file));
}

}  // namespace redraft
