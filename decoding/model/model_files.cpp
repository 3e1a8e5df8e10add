#include "decoding/model/model_files.h"

#include <utility>

#include "decoding/model/huggingface_model.h"

namespace redraft {

Result<std::unique_ptr<const ModelFiles>> open_model_files(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_huggingface_model(path);
  Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();
  return gguf_model(std::move(*file));
}

}  // namespace redraft
