// What the files of LFM2 may say: GGUF as llama.cpp's converter writes it, config.json as
// transformers reads it, and errors that name the key or the tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "decoding/model/huggingface_config.h"
#include "decoding/model/model_files.h"
#include "decoding/model/weight_plan.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GgufWriter tiny() {
  return TinyModel{.architecture = "lfm2", .layers = 4, .taps = 3, .tokenizer = ""}.writer();
}

// The plan reads what the shape is about.
Result<TransformerShape> shape_of(const GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error();
  const auto files = gguf_model(std::move(*file));
  Result<TransformerShape> shape = files->shape();
  if (!shape) return shape;
  if (const Result<WeightPlan> plan = WeightPlan::make(*files, *shape); !plan) return plan.error();
  return shape;
}

template <typename Change>
std::string error_with(const Change& change) {
  GgufWriter writer = tiny();
  change(writer);
  const Result<TransformerShape> shape = shape_of(writer);
  return shape ? "(none)" : shape.error().message();
}

TEST(Lfm2Shape, LayersWithoutKeyValueHeadsAreConvolutions) {
  const Result<TransformerShape> shape = shape_of(tiny());
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->recurrent, ElementsAre(true, false, true, false));
  EXPECT_EQ(shape->kv_heads, 2);
  EXPECT_EQ(shape->convolution().channels, 64);
  EXPECT_EQ(shape->convolution().taps, 3);
  EXPECT_FALSE(shape->convolution().activated);
  EXPECT_EQ(shape->delta.state_floats(), 0U);
  EXPECT_EQ(shape->rotated, shape->head_dim);
}

TEST(Lfm2Shape, ErrorsNameTheKey) {
  const auto with_heads = [](const std::vector<std::int32_t>& heads) {
    return error_with([&](GgufWriter& w) {
      w.remove("lfm2.attention.head_count_kv");
      w.integers("lfm2.attention.head_count_kv", heads);
    });
  };
  const std::string key = "m.gguf: key 'lfm2.attention.head_count_kv': ";
  EXPECT_EQ(with_heads({0, 2, 0}), key + "does not name every layer");
  EXPECT_EQ(with_heads({0, 2, 0, 1}), key + "differs from layer to layer");
  EXPECT_EQ(with_heads({0, 0, 0, 0}), key + "0 is outside 1..1024");
  EXPECT_EQ(error_with([](GgufWriter& w) {
              w.remove("lfm2.attention.head_count_kv");
              w.integer("lfm2.attention.head_count_kv", 2);
            }),
            key + "is not a list with a number for each layer");
  const auto with_taps = [](std::uint32_t taps) {
    return error_with([=](GgufWriter& w) {
      w.remove("lfm2.shortconv.l_cache");
      w.integer("lfm2.shortconv.l_cache", taps);
    });
  };
  EXPECT_EQ(with_taps(1), "m.gguf: key 'lfm2.shortconv.l_cache': 1 is outside 2..16");
  EXPECT_EQ(with_taps(17), "m.gguf: key 'lfm2.shortconv.l_cache': 17 is outside 2..16");
  EXPECT_THAT(with_taps(4), HasSubstr("tensor 'blk.0.shortconv.conv.weight': "));
  const auto with = [](const char* name, std::uint32_t value) {
    return error_with([&](GgufWriter& w) { w.integer(std::string("lfm2.") + name, value); });
  };
  EXPECT_THAT(with("expert_count", 32), HasSubstr("asks for a mixture of experts"));
  EXPECT_THAT(with("nextn_predict_layers", 1), HasSubstr("layers that predict further tokens"));
  EXPECT_THAT(with("attention.sliding_window", 64), HasSubstr("asks for a sliding window"));
  EXPECT_THAT(with("rope.dimension_count", 8), HasSubstr("rotation of a part of a head"));
  EXPECT_THAT(error_with([](GgufWriter& w) { w.boolean("lfm2.attention.causal", false); }),
              HasSubstr("attention that sees the future cannot generate"));
}

// Their states would take more memory than anybody has.
TEST(Lfm2Shape, StatesAreLimited) {
  TransformerShape shape = *shape_of(tiny());
  shape.hidden = 1 << 17;
  EXPECT_FALSE(find_problem(shape));
  shape.short_taps = 16;
  shape.layers = 1024;
  shape.recurrent.resize(1024, true);
  const std::optional<ShapeProblem> problem = find_problem(shape);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->reason, "the states of all layers are too large together");
}

// Biases of convolutions, the output of an embedding model, and tensors in the wrong layers.
TEST(Lfm2Shape, ErrorsNameTheTensor) {
  for (const char* name :
       {"blk.0.shortconv.conv.bias", "blk.0.shortconv.in_proj.bias", "blk.1.shortconv.conv.weight",
        "blk.0.attn_q.weight", "blk.1.attn_q.bias", "output_norm.weight", "dense_2.weight",
        "v.blk.0.attn_q.weight"}) {
    const std::string error = error_with([&](GgufWriter& w) {
      w.tensor({name, {8, 8}, WeightFormat::kF32, std::vector<std::uint8_t>(4 * 64)});
    });
    EXPECT_THAT(error, HasSubstr("has no part in a lfm2 model")) << name;
  }
  for (const char* name : {"token_embd_norm.weight", "blk.2.shortconv.out_proj.weight",
                           "blk.2.shortconv.conv.weight", "blk.3.attn_k_norm.weight"}) {
    EXPECT_EQ(error_with([&](GgufWriter& w) {
                std::erase_if(w.tensors(), [&](const auto& each) { return each.name == name; });
              }),
              "m.gguf: tensor '" + std::string(name) + "': missing");
  }
}

using Config = std::map<std::string, std::string>;

// "(none)": there is no error, and `shape` has been read.
std::string read_config(const Config& changes, TransformerShape& shape) {
  Config all = {
      {"model_type", R"("lfm2")"},  {"num_hidden_layers", "3"},
      {"hidden_size", "64"},        {"max_position_embeddings", "512"},
      {"intermediate_size", "100"}, {"num_attention_heads", "4"},
      {"num_key_value_heads", "2"}, {"vocab_size", "300"},
      {"norm_eps", "1e-5"},         {"layer_types", R"(["conv", "conv", "full_attention"])"}};
  std::string text;
  for (const auto& [key, value] : changes) all[key] = value;
  for (const auto& [key, value] : all) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + ('"' + key + "\": " + value);
  }
  const Result<JsonDocument> document = JsonDocument::parse("c.json", "{" + text + "}");
  EXPECT_TRUE(document) << document.error().message();
  Result<TransformerShape> read = read_shape(document->root());
  if (!read) return read.error().message();
  shape = *read;
  return "(none)";
}

TEST(Lfm2Config, IsReadAsTransformersDoes) {
  TransformerShape shape;
  ASSERT_EQ(read_config({}, shape), "(none)");
  EXPECT_THAT(shape.recurrent, ElementsAre(true, true, false));
  EXPECT_EQ(shape.short_taps, 3);
  EXPECT_EQ(shape.rope_base, 1e6);
  EXPECT_EQ(shape.epsilon, 1e-5);
  EXPECT_FALSE(shape.stored_as_trained);
  ASSERT_EQ(read_config({{"layer_types", ""},
                         {"full_attn_idxs", "[0, 2]"},
                         {"conv_L_cache", "4"},
                         {"rope_theta", "5e5"}},
                        shape),
            "(none)");
  EXPECT_THAT(shape.recurrent, ElementsAre(false, true, false));
  EXPECT_EQ(shape.short_taps, 4);
  EXPECT_EQ(shape.rope_base, 5e5);
  ASSERT_EQ(read_config({{"layer_types", ""}}, shape), "(none)");
  EXPECT_EQ(shape.attention_layers(), 3) << "as many as transformers takes without any list";
}

TEST(Lfm2Config, TheWidthOfBlocksFollowsFromFourNumbers) {
  const auto width = [](const Config& changes) {
    TransformerShape shape;
    EXPECT_EQ(read_config(changes, shape), "(none)");
    return shape.feed_forward;
  };
  EXPECT_EQ(width({}), 256) << "two thirds of 100, to the next multiple of 256";
  EXPECT_EQ(width({{"block_multiple_of", "16"}}), 80);
  EXPECT_EQ(width({{"block_ff_dim", "12288"}}), 8192);
  EXPECT_EQ(width({{"block_ffn_dim_multiplier", "1.3"}, {"block_multiple_of", "1"}}), 85);
  EXPECT_EQ(width({{"block_ffn_dim_multiplier", "null"}}), 66) << "not rounded either";
  EXPECT_EQ(width({{"block_auto_adjust_ff_dim", "false"}}), 100);
}

TEST(Lfm2Config, ErrorsNameTheKey) {
  TransformerShape shape;
  const auto error = [&](const Config& changes) { return read_config(changes, shape); };
  EXPECT_EQ(error({{"conv_bias", "true"}}),
            "c.json: conv_bias: redraft computes convolutions without biases");
  EXPECT_EQ(error({{"layer_types", R"(["conv", "linear_attention", "full_attention"])"}}),
            "c.json: layer_types[1]: redraft computes 'full_attention' and 'conv' only");
  EXPECT_EQ(error({{"layer_types", R"(["conv"])"}}),
            "c.json: layer_types: does not name every layer");
  EXPECT_EQ(error({{"layer_types", R"(["conv", "conv", "conv"])"}}),
            "c.json: layer_types: leaves no layer with attention");
  EXPECT_THAT(error({{"layer_types", ""}, {"full_attn_idxs", "[3]"}}),
              HasSubstr("c.json: full_attn_idxs[0]: "));
  EXPECT_THAT(error({{"layer_types", ""}, {"full_attn_idxs", "3"}}),
              HasSubstr("c.json: full_attn_idxs: "));
  EXPECT_EQ(error({{"conv_L_cache", "1"}}), "c.json: conv_L_cache: 1 is outside 2..16");
  EXPECT_EQ(error({{"norm_eps", "0"}}), "c.json: norm_eps: is not positive");
  EXPECT_THAT(error({{"norm_eps", ""}}), HasSubstr("norm_eps"));
  EXPECT_EQ(error({{"block_multiple_of", "0"}}), "c.json: block_multiple_of: is not positive");
  EXPECT_THAT(error({{"block_ffn_dim_multiplier", "1e300"}}), HasSubstr("too large"));
  EXPECT_THAT(error({{"block_ffn_dim_multiplier", "-1"}}), HasSubstr("of no width"));
  EXPECT_THAT(error({{"model_type", R"("lfm2_moe")"}}),
              HasSubstr("architecture 'lfm2_moe' is not supported"));
}

}  // namespace
}  // namespace redraft
