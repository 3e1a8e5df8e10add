// Inputs of their own that layers have: where their embedding is kept, and what a file's summary
// says. That they are computed as they should is in tiny_models_test.cpp and window_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "decoding/model/model_summary.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"
#include "tests/kit/folder_on_disk.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr const char* kTable = "per_layer_token_embd.weight";

class LayerInputsOfAModel : public testing::Test {
 protected:
  static TinyModel tiny() {
    return {.architecture = "gemma4", .layers = 4, .sharing_layers = 2, .layer_input = 32};
  }
  Result<std::unique_ptr<LanguageModel>> try_load(const GgufWriter& writer,
                                                  const LoadControl& control = {}) {
    bytes_ = writer.bytes();
    Result<GgufFile> file = GgufFile::parse("tiny.gguf", bytes_);
    if (!file) return file.error();
    return load_transformer(gguf_model(std::move(*file)), kernels::best_isa(), pool_, control);
  }

  ThreadPool pool_{2};

 private:
  std::vector<std::uint8_t> bytes_;
};

TEST_F(LayerInputsOfAModel, AreTheSameOnDisk) {
  const auto in_memory = try_load(tiny().writer());
  ASSERT_TRUE(in_memory) << in_memory.error().message();
  const FolderOnDisk folder;
  LoadControl control;
  bool is_on_disk = false;
  std::string notice;
  control.notice = [&](const std::string& text) { notice = text; };
  control.overflow = {.folder = folder.path() / "weights",
                      .free_memory = std::uint64_t{1} << 30,
                      .is_used = &is_on_disk};
  const auto on_disk = try_load(tiny().writer(), control);
  ASSERT_TRUE(on_disk) << on_disk.error().message();
  EXPECT_FALSE(is_on_disk) << "there is room for the weights that a pass reads";
  EXPECT_EQ(notice, "");
  const std::vector<TokenId> tokens = random_tokens(**in_memory, 60, 9);
  EXPECT_TRUE(verify_all(**on_disk, tokens, 7) == verify_all(**in_memory, tokens, 60));

  control.overflow->folder = "/proc/nowhere";
  const auto nowhere = try_load(tiny().writer(), control);
  ASSERT_TRUE(nowhere) << "in memory then: " << nowhere.error().message();
  EXPECT_TRUE(verify_all(**nowhere, tokens, 7) == verify_all(**in_memory, tokens, 60));
}

TEST_F(LayerInputsOfAModel, DoNotTakeTheMemoryOfTheWeights) {
  const FolderOnDisk folder;
  GgufWriter writer = tiny().writer();
  const auto table = std::ranges::find(writer.tensors(), kTable, &GgufWriter::Tensor::name);
  std::size_t all = 0;
  for (const GgufWriter::Tensor& each : writer.tensors()) all += each.data.size();
  LoadControl control;
  bool is_on_disk = false;
  // Packed weights take a little more than those of the file.
  control.overflow = {.folder = folder.path() / "weights",
                      .free_memory = all - table->data.size() / 2,
                      .is_used = &is_on_disk};
  ASSERT_TRUE(try_load(writer, control));
  EXPECT_FALSE(is_on_disk);
  control.overflow->folder = "/proc/nowhere";
  const auto nowhere = try_load(writer, control);
  ASSERT_FALSE(nowhere) << "with the table in memory there is no room";
  EXPECT_THAT(nowhere.error().message(), testing::HasSubstr("do not fit into"));
}

TEST_F(LayerInputsOfAModel, ALoadCanBeStoppedWhileTheyAreCopied) {
  std::stop_source source;
  source.request_stop();
  LoadControl control;
  control.stop = source.get_token();
  const auto stopped = try_load(tiny().writer(), control);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message(), "tiny.gguf: loading was cancelled");
}

TEST_F(LayerInputsOfAModel, ANumberThatIsNotFiniteIsNamed) {
  GgufWriter writer = tiny().writer();
  const auto table = std::ranges::find(writer.tensors(), kTable, &GgufWriter::Tensor::name);
  table->data[34 * 100] = 0x00;  // the scale of a block of Q8_0
  table->data[34 * 100 + 1] = 0x7c;
  const auto model = try_load(writer);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(), std::string("tiny.gguf: tensor '") + kTable +
                                         "': holds a weight or a scale that is no finite number");
}

TEST_F(LayerInputsOfAModel, AreNotCountedAsWhatAPassReads) {
  GgufWriter writer = tiny().writer();
  const TempFolder folder;
  const std::vector<std::uint8_t> bytes = writer.bytes();
  folder.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const ModelSummary summary = summarise_model(folder / "tiny.gguf");
  EXPECT_EQ(summary.why_not, "");
  const auto table = std::ranges::find(writer.tensors(), kTable, &GgufWriter::Tensor::name);
  EXPECT_EQ(summary.disk_bytes, table->data.size());
  EXPECT_EQ(bytes_looked_up(folder / "tiny.gguf"), table->data.size());
  EXPECT_EQ(bytes_looked_up(folder / "none.gguf"), 0U);
  EXPECT_LT(summary.pass_bytes, summary.weight_bytes - summary.disk_bytes);
  // Of the four layers, one with a window and one without store keys and values.
  const auto of_token = [](int kv_heads, int head_dim) {
    return 2 * sizeof(std::int16_t) * static_cast<std::size_t>(kv_heads * (head_dim + 2));
  };
  EXPECT_EQ(summary.kv_bytes_per_token, of_token(tiny().kv_heads, tiny().head_dim));
  EXPECT_EQ(summary.state_bytes, of_token(tiny().window_kv_heads, tiny().window_head_dim) *
                                     static_cast<std::size_t>(tiny().window - 1));
}

// A pass that leaves out a layer would leave those that share its keys without any.
TEST_F(LayerInputsOfAModel, WithoutSharedKeysLayersMayBeSkipped) {
  TinyModel shape = tiny();
  EXPECT_EQ((*try_load(shape.writer()))->layer_skipping(), nullptr);
  shape.sharing_layers = 0;
  EXPECT_NE((*try_load(shape.writer()))->layer_skipping(), nullptr);
}

}  // namespace
}  // namespace redraft
