// What the files of hybrids may say: the conventions of llama.cpp's converter and of Ollama, and
// errors that name the key or the tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/model/model_files.h"
#include "decoding/model/model_summary.h"
#include "decoding/model/transformer_shape.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TinyModel tiny_hybrid() { return {.architecture = "qwen35", .layers = 4, .tokenizer = ""}; }

Result<TransformerShape> shape_of(const GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error();
  return read_shape(*file);
}

void set(GgufWriter& writer, const std::string& name, int value) {
  writer.remove("qwen35." + name);
  writer.integer("qwen35." + name, static_cast<std::uint32_t>(value));
}

template <typename Change>
std::string error_with(const Change& change, const TinyModel& tiny = tiny_hybrid()) {
  GgufWriter writer = tiny.writer();
  change(writer);
  const Result<TransformerShape> shape = shape_of(writer);
  return shape ? "(none)" : shape.error().message();
}

TEST(HybridShape, LayersHaveAttentionEverySoOften) {
  TinyModel tiny = tiny_hybrid();
  tiny.attention_every = 4;
  const Result<TransformerShape> shape = shape_of(tiny.writer());
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->recurrent, ElementsAre(true, true, true, false));
  EXPECT_EQ(shape->attention_layers(), 1);
  EXPECT_EQ(shape->rotated, 8);
  EXPECT_EQ(shape->delta.value_dim, 16);
  EXPECT_FALSE(shape->delta.neighbours_share);
  EXPECT_FALSE(shape->stored_as_trained);
}

// Layers with a state keep no keys and values; an MTP block does.
TEST(HybridShape, OnlyAttentionTakesMemoryPerToken) {
  const TempFolder folder;
  const auto bytes_per_token = [&](bool mtp) {
    TinyModel tiny = tiny_hybrid();
    tiny.attention_every = 4;
    tiny.tokenizer = "gpt2";
    tiny.mtp = mtp;
    const std::vector<std::uint8_t> bytes = tiny.writer().bytes();
    folder.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const ModelSummary summary = summarise_model(folder / "tiny.gguf");
    EXPECT_EQ(summary.why_not, "");
    return summary.kv_bytes_per_token;
  };
  const std::uint64_t of_a_layer = bytes_per_token(false);
  const std::uint64_t values_of_two_heads = 2ULL * 2 * 16 * sizeof(std::int16_t);
  EXPECT_GE(of_a_layer, values_of_two_heads);
  EXPECT_LT(of_a_layer, 2 * values_of_two_heads);
  EXPECT_EQ(bytes_per_token(true), 2 * of_a_layer);
}

TEST(HybridShape, Qwen3NextsValueHeadsAreNeighbours) {
  TinyModel tiny = tiny_hybrid();
  tiny.architecture = "qwen3next";
  const Result<TransformerShape> shape = shape_of(tiny.writer());
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_TRUE(shape->delta.neighbours_share);
  EXPECT_EQ(shape->shared_feed_forward, 64);
}

TEST(HybridShape, AListOfLayersGoesBeforeTheInterval) {
  GgufWriter writer = tiny_hybrid().writer();
  writer.booleans("qwen35.attention.recurrent_layers", {true, false, true, false});
  set(writer, "full_attention_interval", 4);
  const Result<TransformerShape> shape = shape_of(writer);
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->recurrent, ElementsAre(true, false, true, false));
  EXPECT_EQ(error_with([](GgufWriter& w) {
              w.booleans("qwen35.attention.recurrent_layers", {true, false});
            }),
            "m.gguf: key 'qwen35.attention.recurrent_layers': does not name every layer");
  EXPECT_EQ(error_with([](GgufWriter& w) { w.integer("qwen35.attention.recurrent_layers", 3); }),
            "m.gguf: key 'qwen35.attention.recurrent_layers': is not a list of true and false");
}

// block_count counts the MTP blocks.
TEST(HybridShape, BlocksThatPredictFurtherAreNoLayers) {
  GgufWriter writer = tiny_hybrid().writer();
  set(writer, "block_count", 5);
  set(writer, "nextn_predict_layers", 1);
  writer.tensor({"blk.4.nextn.eh_proj.weight",
                 {32, 2},
                 WeightFormat::kF32,
                 std::vector<std::uint8_t>(4 * 64)});
  const Result<TransformerShape> shape = shape_of(writer);
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->layers, 4);
  EXPECT_EQ(shape->mtp_blocks, 1);
  EXPECT_THAT(error_with([](GgufWriter& w) { w.integer("qwen35.nextn_predict_layers", 4); }),
              HasSubstr("'qwen35.nextn_predict_layers': leaves no layer"));
  TinyModel dense;
  dense.tokenizer = "";
  EXPECT_THAT(error_with([](GgufWriter& w) { w.integer("qwen2.nextn_predict_layers", 1); }, dense),
              HasSubstr("asks for layers that predict further tokens"));
}

// Ollama lists key-value heads by layer, names the decay's bias otherwise, says how value heads are
// ordered, and has what sees in the same file.
TEST(HybridShape, OllamasFilesAreRead) {
  GgufWriter writer = tiny_hybrid().writer();
  writer.remove("qwen35.attention.head_count_kv");
  writer.integers("qwen35.attention.head_count_kv", {0, 2, 0, 2});
  writer.boolean("qwen35.ssm.v_head_reordered", true);
  writer.integers("qwen35.rope.dimension_sections", {11, 11, 10});
  for (GgufWriter::Tensor& tensor : writer.tensors()) {
    if (tensor.name.ends_with("ssm_dt.bias")) tensor.name.resize(tensor.name.size() - 5);
  }
  writer.tensor(
      {"v.blk.0.attn_q.weight", {8, 8}, WeightFormat::kF32, std::vector<std::uint8_t>(4 * 64)});
  const Result<TransformerShape> shape = shape_of(writer);
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->recurrent, ElementsAre(true, false, true, false));
  EXPECT_EQ(shape->kv_heads, 2);
  EXPECT_FALSE(shape->delta.neighbours_share);
  EXPECT_THAT(error_with([](GgufWriter& w) {
                w.remove("qwen35.attention.head_count_kv");
                w.integers("qwen35.attention.head_count_kv", {0, 2, 0, 1});
              }),
              HasSubstr("'qwen35.attention.head_count_kv': differs from layer to layer"));
}

TEST(HybridShape, ErrorsNameTheKey) {
  const auto with = [](const char* key, int value) {
    return error_with([&](GgufWriter& w) { set(w, key, value); });
  };
  EXPECT_EQ(with("ssm.time_step_rank", 3),
            "m.gguf: key 'qwen35.ssm.inner_size': the value heads do not divide it");
  EXPECT_EQ(with("ssm.group_count", 3),
            "m.gguf: key 'qwen35.ssm.time_step_rank': key heads do not divide the value heads");
  EXPECT_EQ(with("ssm.group_count", 0),
            "m.gguf: key 'qwen35.ssm.group_count': 0 is outside 1..1024");
  EXPECT_EQ(with("ssm.state_size", 24),
            "m.gguf: key 'qwen35.ssm.state_size': heads are not a multiple of 16 wide");
  EXPECT_EQ(with("ssm.conv_kernel", 1), "m.gguf: key 'qwen35.ssm.conv_kernel': 1 is outside 2..16");
  EXPECT_EQ(with("rope.dimension_count", 7),
            "m.gguf: key 'qwen35.rope.dimension_count': is not an even part of a head");
  EXPECT_EQ(with("rope.dimension_count", 32),
            "m.gguf: key 'qwen35.rope.dimension_count': is not an even part of a head");
  EXPECT_EQ(with("full_attention_interval", 0),
            "m.gguf: key 'qwen35.full_attention_interval': is not positive");
  EXPECT_EQ(with("full_attention_interval", 9),
            "m.gguf: key 'qwen35.full_attention_interval': leaves no layer with attention");
}

// Sequences would take more memory than anybody has.
TEST(HybridShape, StatesAreLimited) {
  TransformerShape shape = *shape_of(tiny_hybrid().writer());
  shape.delta.key_dim = shape.delta.value_dim = 1024;
  shape.delta.value_heads = 64;
  shape.delta.key_heads = 32;
  EXPECT_FALSE(find_problem(shape));
  shape.layers = 8;
  shape.recurrent = {true, true, true, false, true, true, true, true};
  const std::optional<ShapeProblem> problem = find_problem(shape);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "the states of all layers are too large together");
}

// A tensor of attention has no part in a recurrent layer, nor the other way round.
TEST(HybridShape, ErrorsNameTheTensor) {
  for (const char* name : {"blk.0.attn_q.weight", "blk.1.ssm_a", "blk.0.ffn_norm.weight",
                           "blk.0.ssm_a.weight", "mtp.fc"}) {
    const std::string error = error_with([&](GgufWriter& w) {
      w.tensor({name, {8, 8}, WeightFormat::kF32, std::vector<std::uint8_t>(4 * 64)});
    });
    if (std::string_view(name).starts_with("mtp.")) {
      EXPECT_EQ(error, "(none)");
    } else {
      EXPECT_THAT(error, HasSubstr("has no part in a qwen35 model")) << name;
    }
  }
}

}  // namespace
}  // namespace redraft
