#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/transformer.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft::cuda {

// A tiny model whose heads are supported on GPUs.
inline TinyModel small_model(const std::string& architecture = "qwen2", std::uint32_t seed = 1) {
  TinyModel model;
  model.architecture = architecture;
  model.heads = 2;
  model.kv_heads = 1;
  model.head_dim = 64;
  model.vocabulary = 270;
  model.seed = seed;
  return model;
}

// Loads tiny models, whose files last as long as the test.
class DeviceModelTest : public testing::Test {
 protected:
  std::shared_ptr<const ModelFiles> files_of(const GgufWriter& writer) {
    bytes_.push_back(writer.bytes());
    Result<GgufFile> file = GgufFile::parse("tiny.gguf", bytes_.back());
    EXPECT_TRUE(file) << file.error().message();
    return gguf_model(std::move(*file));
  }
  std::unique_ptr<LanguageModel> on_gpu(const TinyModel& model) {
    auto loaded = load_transformer(files_of(model.writer()), pool_);
    EXPECT_TRUE(loaded) << loaded.error().message();
    return std::move(*loaded);
  }

  ThreadPool pool_{1};

 private:
  std::list<std::vector<std::uint8_t>> bytes_;
};

}  // namespace redraft::cuda
