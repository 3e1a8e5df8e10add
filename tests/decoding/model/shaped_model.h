#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/model/model_files.h"

namespace redraft {

// Tensors of which only the shapes are there: all that the parser of an adapter reads of a model.
class ShapedModel : public ModelFiles {
 public:
  explicit ShapedModel(std::map<std::string, std::vector<std::int64_t>, std::less<>> shapes) {
    for (auto& [role, shape] : shapes)
      tensors_.emplace(
          role,
          StoredTensor{
              .name = {}, .format = WeightFormat::kF32, .shape = std::move(shape), .data = {}});
  }
  const std::string& path() const override { return path_; }
  std::string name() const override { return path_; }
  Result<TransformerShape> shape() const override {
    TransformerShape shape;
    shape.architecture = find_architecture("qwen2");
    return shape;
  }
  Result<TokenizerSpec> tokenizer_spec() const override { return Error("none"); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    const auto found = tensors_.find(role);
    return found == tensors_.end() ? nullptr : &found->second;
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    return Error(std::string(role) + ": " + std::string(reason));
  }
  void release_pages() const override {}

 private:
  std::string path_ = "shapes";
  std::map<std::string, StoredTensor, std::less<>> tensors_;
};

}  // namespace redraft
