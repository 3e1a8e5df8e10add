#include "decoding/model/model_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "decoding/kernels/linear.h"
#include "decoding/model/architecture.h"
#include "decoding/model/model_stamp.h"
#include "decoding/model/tokenizer_loader.h"
#include "decoding/model/transformer.h"
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
  EXPECT_EQ(error(), named(unsupported_architecture("mamba")));
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
TEST_F(ModelLoader, RejectsScalesThatAreNaN) {
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

// What a model computes first: its logits' order, as far as probabilities tell.
std::vector<float> first_row(const LoadedModel& loaded) {
  const std::vector<TokenId> tokens = loaded.tokenizer->encode("a cat");
  std::vector<float> out;
  for (TokenId id = 0; id < 40; ++id) {
    const std::unique_ptr<KvCache> cache = loaded.model->new_cache(16);
    out.push_back(
        loaded.model->forward(tokens, {}, *cache, {.scored = {&id, 1}}).log_probability.at(0));
  }
  return out;
}

// In place: the same file, as `cp` and downloads that go on write it.
void overwrite(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(out.flush());
}

TEST_F(ModelLoader, ALoadedModelDoesNotNeedItsFile) {
  const std::vector<std::uint8_t> other = TinyModel{.seed = 2}.writer().bytes();
  for (const bool tied : {false, true}) {
    const std::vector<std::uint8_t> bytes = TinyModel{.tied = tied}.writer().bytes();
    write(bytes);
    const Result<LoadedModel> loaded = load_model(path_, pool_);
    ASSERT_TRUE(loaded) << loaded.error().message();
    const std::vector<float> expected = first_row(*loaded);
    overwrite(path_, other);
    EXPECT_EQ(first_row(*loaded), expected) << "other weights, tied: " << tied;
    std::filesystem::resize_file(path_, 0);
    EXPECT_EQ(first_row(*loaded), expected) << "cut short, tied: " << tied;
  }
}

// The file changes after it was opened and parsed, before its weights are read.
Result<LoadedModel> load_while(const std::filesystem::path& file, ThreadPool& pool,
                               const std::function<void()>& change) {
  return load_model(
      file, pool, {},
      [&](std::shared_ptr<const ModelFiles> files, ThreadPool& own, const LoadControl& control) {
        change();
        return load_transformer(std::move(files), kernels::best_isa(), own, control);
      });
}

TEST_F(ModelLoader, AFileThatBecomesShorterWhileItIsReadIsAnError) {
  write(TinyModel().writer().bytes());
  const Result<LoadedModel> loaded =
      load_while(path_, pool_, [&] { std::filesystem::resize_file(path_, 4096); });
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message(), named("changed while it was read, so nothing of it is used; "
                                            "try again once all of it is written"));
}

TEST_F(ModelLoader, AFileThatIsOverwrittenWhileItIsReadIsAnErrorAndNoMixture) {
  const std::vector<std::uint8_t> bytes = TinyModel().writer().bytes();
  const std::vector<std::uint8_t> other = TinyModel{.seed = 2}.writer().bytes();
  ASSERT_EQ(bytes.size(), other.size());
  write(bytes);
  // At once after it was written: its time may be the same to the last digit.
  const Result<LoadedModel> mixed = load_while(path_, pool_, [&] { overwrite(path_, other); });
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().message(), HasSubstr("changed while it was read"));
  const Result<LoadedModel> again = load_model(path_, pool_);
  ASSERT_TRUE(again) << again.error().message();
}

TEST_F(ModelLoader, AReplacementWithTheSameDateAndSizeHasAnotherStamp) {
  write(TinyModel().writer().bytes());
  const auto date = std::filesystem::last_write_time(path_);
  const ModelStamp before = ModelStamp::settled(path_);
  EXPECT_TRUE(before == ModelStamp::of(path_));
  EXPECT_TRUE(before.complete());
  overwrite(path_, TinyModel{.seed = 2}.writer().bytes());
  std::filesystem::last_write_time(path_, date);
  const ModelStamp after = ModelStamp::of(path_);
  EXPECT_FALSE(before == after);
  EXPECT_NE(before.weights(), after.weights());
  std::filesystem::remove(path_);
  EXPECT_FALSE(ModelStamp::of(path_).complete());
}

}  // namespace
}  // namespace redraft
