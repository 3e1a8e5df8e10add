#pragma once

#include <filesystem>
#include <utility>

namespace redraft {

// Where a model is: a GGUF file or a Hugging Face folder, the folder of an adapter to merge into
// it, and that of a draft head, which changes nothing that the model writes.
struct ModelLocation {
  // NOLINTNEXTLINE(google-explicit-constructor): a path alone is a model
  ModelLocation(std::filesystem::path model_file = {}, std::filesystem::path adapter_folder = {})
      : file(std::move(model_file)), adapter(std::move(adapter_folder)) {}

  std::filesystem::path file;
  std::filesystem::path adapter;    // empty: none
  std::filesystem::path head = {};  // empty: none

  bool operator==(const ModelLocation&) const = default;
};

}  // namespace redraft
