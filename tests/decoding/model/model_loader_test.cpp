#include "decoding/model/model_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "decoding/model/tokenizer_loader.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

class ModelLoader : public ::testing::Test {
 protected:
  void write(const std::vector<std::uint8_t>& bytes) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::string error() {
    const Result<LoadedModel> loaded = load_model(path_, pool_);
    return loaded ? "(loaded)" : loaded.error().message();
  }
  std::string named(const std::string& rest) const { return path_.string() + ": " + rest; }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) /
      ("redraft_model_loader_test." + std::to_string(::getpid()) + ".gguf");
  ThreadPool pool_{1};
};

TEST_F(ModelLoader, LoadsModelAndTokenizer) {
  write(TinyModel().writer().bytes());
  const Result<LoadedModel> loaded = load_model(path_, pool_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->name, "tiny");
  EXPECT_EQ(loaded->architecture, "qwen2");
  EXPECT_EQ(loaded->location.file, path_);
  EXPECT_EQ(loaded->tokenizer->decode(loaded->tokenizer->encode("than\n")), "than\n");
  EXPECT_EQ(loaded->tokenizer->end_of_text(), 256);
  const std::unique_ptr<KvCache> cache = loaded->model->new_cache(16);
  const std::vector<TokenId> tokens = loaded->tokenizer->encode("a cat");
  const Predictions predicted = loaded->model->forward(tokens, {}, *cache, {.every_row = false});
  ASSERT_EQ(predicted.argmax.size(), 1U);
  EXPECT_GE(predicted.argmax[0], 0);
  EXPECT_LT(predicted.argmax[0], 300);
  EXPECT_EQ(cache->length(), static_cast<int>(tokens.size()));
}

TEST_F(ModelLoader, LoadsTheTokenizerAlone) {
  GgufWriter writer;
  TinyModel().add_tokenizer(writer);
  write(writer.bytes());
  const auto tokenizer = load_tokenizer(path_);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->vocabulary_size(), 300);
}

TEST_F(ModelLoader, NamesWhatIsWrongWithTheFile) {
  EXPECT_EQ(error(), named("No such file or directory"));
  write({});
  EXPECT_EQ(error(), named("the file is empty"));
  write(std::vector<std::uint8_t>(1000, 'x'));
  EXPECT_EQ(error(), named("not a GGUF file"));
  std::vector<std::uint8_t> cut = TinyModel().writer().bytes();
  cut.resize(cut.size() / 2);
  write(cut);
  EXPECT_THAT(error(), HasSubstr("its data lies beyond the end of the file (truncated?)"));
  cut.resize(2000);
  write(cut);
  EXPECT_THAT(error(), HasSubstr("truncated in "));
}

TEST_F(ModelLoader, RefusesWhatItCannotRun) {
  GgufWriter foreign;
  foreign.text("general.architecture", "mamba");
  TinyModel().add_tokenizer(foreign);
  write(foreign.bytes());
  EXPECT_EQ(
      error(),
      named("architecture 'mamba' is not supported; redraft runs llama, qwen2 and qwen3 models"));
}

TEST_F(ModelLoader, RefusesAMissingOrForeignTokenizer) {
  write(TinyModel{.tokenizer = ""}.writer().bytes());
  EXPECT_THAT(error(), HasSubstr("key 'tokenizer.ggml.model': missing"));
  write(TinyModel{.tokenizer = "llama"}.writer().bytes());
  EXPECT_THAT(error(), HasSubstr("'llama' is not supported"));
}

TEST_F(ModelLoader, RefusesATokenizerLargerThanTheEmbedding) {
  TinyModel tiny;
  GgufWriter writer = tiny.writer();
  for (auto& tensor : writer.tensors()) {
    if (tensor.shape != std::vector<std::int64_t>{64, 300}) continue;
    tensor.shape[1] = 290;
    tensor.data.resize(tensor.data.size() / 300 * 290);
  }
  write(writer.bytes());
  EXPECT_EQ(error(), named("its tokenizer has 300 tokens, its embedding only 290"));
}

TEST_F(ModelLoader, TellsHowFarItIs) {
  write(TinyModel().writer().bytes());
  std::vector<double> fractions;
  const LoadControl control{.stop = {},
                            .progress = [&](double fraction) { fractions.push_back(fraction); }};
  ASSERT_TRUE(load_model(path_, pool_, control));
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
}

TEST_F(ModelLoader, CanBeStopped) {
  write(TinyModel().writer().bytes());
  std::stop_source stop;
  stop.request_stop();
  bool told = false;
  const LoadControl control{.stop = stop.get_token(), .progress = [&](double) { told = true; }};
  const Result<LoadedModel> loaded = load_model(path_, pool_, control);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message(), named("loading was cancelled"));
  EXPECT_FALSE(told);
}

// In a norm, a bias, a matrix, and the embedding of a model whose head is another tensor.
TEST_F(ModelLoader, RefusesScalesThatAreNoNumbers) {
  for (const char* name : {"output_norm.weight", "blk.1.attn_k.bias", "blk.0.ffn_up.weight",
                           "blk.1.attn_q.weight", "token_embd.weight", "output.weight"}) {
    for (const bool last : {false, true}) {
      GgufWriter writer = TinyModel().writer();
      for (auto& tensor : writer.tensors()) {
        if (tensor.name != name) continue;
        const bool floats = tensor.format == WeightFormat::kF32;
        // NaN, or an infinite scale before a block of 32.
        const std::size_t size = floats ? 4 : 34;
        std::uint8_t* block = tensor.data.data() + (last ? tensor.data.size() - size : 0);
        block[floats ? 2 : 0] = floats ? 0xC0 : 0x00;
        block[floats ? 3 : 1] = floats ? 0x7F : 0xFC;
      }
      write(writer.bytes());
      EXPECT_EQ(error(), named(std::string("tensor '") + name +
                               "': holds a weight or a scale that is no finite number"));
    }
  }
}

}  // namespace
}  // namespace redraft
