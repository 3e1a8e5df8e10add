#include "decoding/model/model_files.h"

#include <utility>

namespace redraft {

Result<std::unique_ptr<const ModelFiles>> open_model_files(const std::filesystem::path& path) {
  Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();
  return gguf_model(std::move(*file));
}

}  // namespace redraft
