#include "lab/tune/model_digest.h"

#include <algorithm>
#include <vector>

#include "decoding/model/adapter.h"
#include "decoding/model/sha256.h"

namespace redraft::cli {

Result<std::string> digest_of_model(const ModelLocation& model) {
  std::vector<std::filesystem::path> files = {model.file};
  if (std::filesystem::is_directory(model.file)) {
    files.clear();
    for (const auto& entry : std::filesystem::directory_iterator(model.file))
      if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
  }
  std::string all;
  for (const auto& file : files) {
    const Result<std::string> digest = sha256_of_file(file);
    if (!digest) return digest.error();
    all += (all.empty() ? "" : " ") + *digest;
  }
  if (model.adapter.empty()) return all;
  const Result<std::string> adapter = adapter_identity(model.adapter);
  if (!adapter) return adapter.error();
  return all + " " + *adapter;
}

}  // namespace redraft::cli
