// What the files of models with sliding windows may say: GGUF as llama.cpp's converter writes it,
// config.json as transformers reads it, and errors that name the key or the tensor.
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

GgufWriter tiny(const char* architecture) {
  return TinyModel{.architecture = architecture, .layers = 4, .tokenizer = ""}.writer();
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
std::string error_with(const char* architecture, const Change& change) {
  GgufWriter writer = tiny(architecture);
  change(writer);
  const Result<TransformerShape> shape = shape_of(writer);
  return shape ? "(none)" : shape.error().message();
}

constexpr const char* kList = "mellum.attention.sliding_window_pattern";

TEST(WindowShape, AnIntervalOrAListSaysWhichLayersHaveOne) {
  Result<TransformerShape> shape = shape_of(tiny("mellum"));
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->window, 24);
  EXPECT_THAT(shape->windowed, ElementsAre(true, false, true, false));
  EXPECT_EQ(shape->rope_base, 10000);
  EXPECT_EQ(shape->window_rope_base, 5000);
  GgufWriter writer = tiny("mellum");
  writer.remove(kList);
  shape = shape_of(writer);
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->windowed, ElementsAre(true, true, true, false)) << "the architecture's own";
  writer.booleans(kList, {false, true, true, true});
  shape = shape_of(writer);
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->windowed, ElementsAre(false, true, true, true));
  writer.remove("mellum.attention.sliding_window");
  writer.integer("mellum.attention.sliding_window", 0);
  shape = shape_of(writer);
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_TRUE(shape->windowed.empty()) << "no window";
}

// YaRN is for layers without a window only in mellum, for all in gpt-oss, whose bounds are not
// rounded.
TEST(WindowShape, LayersWithAWindowRotateInTheirOwnWay) {
  for (const std::string name : {"mellum", "gpt-oss"}) {
    GgufWriter writer = tiny(name.c_str());
    writer.text(name + ".rope.scaling.type", "yarn");
    writer.real(name + ".rope.scaling.factor", 32);
    writer.integer(name + ".rope.scaling.original_context_length", 256);
    writer.remove(name + ".rope.freq_base_swa");
    const Result<TransformerShape> shape = shape_of(writer);
    ASSERT_TRUE(shape) << shape.error().message();
    const bool all = name == "gpt-oss";
    EXPECT_EQ(shape->window_rope_base, 10000) << name;
    EXPECT_EQ(shape->rope_scaling.kind, RopeScaling::Kind::kYarn);
    EXPECT_EQ(shape->rope_scaling.round_dimensions, !all);
    EXPECT_EQ(shape->window_rope_scaling.kind == RopeScaling::Kind::kYarn, all) << name;
  }
}

TEST(WindowShape, HeadsMayDifferInLayersWithAWindow) {
  const Result<TransformerShape> shape = shape_of(tiny("gemma4"));
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->kv_heads, 2);
  EXPECT_EQ(shape->head_dim, 16);
  EXPECT_EQ(shape->attention_heads(true).kv_heads, 1);
  EXPECT_EQ(shape->attention_heads(true).head_dim, 32);
  EXPECT_EQ(shape->embedding_scale, 8);
  EXPECT_EQ(shape->attention_scale, 1);
  EXPECT_EQ(shape->logit_cap, 3);
  const auto with = [](const char* name, std::uint32_t value) {
    return error_with("gemma4", [&](GgufWriter& w) {
      w.remove(std::string("gemma4.") + name);
      w.integer(std::string("gemma4.") + name, value);
    });
  };
  EXPECT_EQ(with("attention.key_length_swa", 40),
            "m.gguf: key 'gemma4.attention.head_count': heads are not a multiple of 16 wide");
  EXPECT_THAT(with("attention.value_length_swa", 16), HasSubstr("values of another width"));
  EXPECT_THAT(with("expert_count", 8), HasSubstr("expert_used_count': missing"));
  EXPECT_EQ(error_with("gemma4",
                       [](GgufWriter& w) {
                         w.remove("gemma4.final_logit_softcapping");
                         w.real("gemma4.final_logit_softcapping", -1);
                       }),
            "m.gguf: key 'gemma4.final_logit_softcapping': is negative or no number");
  EXPECT_EQ(error_with("gemma4",
                       [](GgufWriter& w) {
                         w.remove("gemma4.attention.head_count_kv");
                         w.integers("gemma4.attention.head_count_kv", {1, 2, 2, 2});
                       }),
            "m.gguf: key 'gemma4.attention.head_count_kv': differs from layer to layer");
}

// Gemma 4 E2B and E4B.
TEST(WindowShape, LayersMayShareKeysAndHaveInputsAndWidthsOfTheirOwn) {
  const TinyModel tiny{.architecture = "gemma4",
                       .layers = 6,
                       .sharing_layers = 3,
                       .layer_input = 32,
                       .tokenizer = ""};
  const Result<TransformerShape> shape = shape_of(tiny.writer());
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->layer_inputs(), 6 * 32);
  EXPECT_THAT(shape->feed_forward_widths, ElementsAre(96, 96, 96, 192, 192, 192));
  EXPECT_EQ(shape->feed_forward, 192);
  EXPECT_FALSE(shape->shares_keys(2));
  // The layers 1, 3 and 5 have no window.
  EXPECT_EQ(shape->source_of_keys(3), 1);
  EXPECT_EQ(shape->source_of_keys(4), 2);
  EXPECT_EQ(shape->source_of_keys(5), 1);
  const auto error = [&](const auto& change) {
    GgufWriter writer = tiny.writer();
    change(writer);
    const Result<TransformerShape> read = shape_of(writer);
    return read ? "(none)" : read.error().message();
  };
  const auto with = [&](const std::string& name, std::uint32_t value) {
    return error([&](GgufWriter& w) {
      w.remove("gemma4." + name);
      w.integer("gemma4." + name, value);
    });
  };
  EXPECT_THAT(with("attention.shared_kv_layers", 5),
              HasSubstr("shared_kv_layers': leaves a layer without keys that it could share"));
  EXPECT_THAT(with("attention.shared_kv_layers", 6),
              HasSubstr("shared_kv_layers': leaves no layer with keys of its own"));
  EXPECT_THAT(with("attention.shared_kv_layers", 2),
              HasSubstr("tensor 'blk.3.attn_k.weight': missing"));
  EXPECT_THAT(with("embedding_length_per_layer_input", 1U << 20), HasSubstr("is no width"));
  EXPECT_THAT(with("embedding_length_per_layer_input", 0), HasSubstr("has no part in a gemma4"));
  EXPECT_THAT(with("embedding_length_per_layer_input", 16),
              HasSubstr("'per_layer_token_embd.weight': its shape is"));
  EXPECT_THAT(error([](GgufWriter& w) {
                w.remove("gemma4.feed_forward_length");
                w.integers("gemma4.feed_forward_length", {96, 96, 96});
              }),
              HasSubstr("feed_forward_length': does not name every layer"));
  EXPECT_THAT(error([](GgufWriter& w) {
                w.remove("gemma4.feed_forward_length");
                w.integers("gemma4.feed_forward_length", {96, 96, 96, 192, 192, 0});
              }),
              HasSubstr("feed_forward_length': is no width in one of the layers"));
  // The others have none of it.
  EXPECT_THAT(
      error_with("qwen3", [](GgufWriter& w) { w.integer("qwen3.attention.shared_kv_layers", 2); }),
      HasSubstr("keys shared by layers"));
  EXPECT_THAT(
      error_with("mellum",
                 [](GgufWriter& w) { w.integer("mellum.embedding_length_per_layer_input", 16); }),
      HasSubstr("embeddings for each layer"));
}

// What a file has of keys where they are shared is not read.
TEST(WindowShape, KeysOfLayersThatShareAreLeftOut) {
  const TinyModel tiny{.architecture = "gemma4", .layers = 4, .tokenizer = ""};
  GgufWriter writer = tiny.writer();
  writer.integer("gemma4.attention.shared_kv_layers", 2);
  const std::vector<std::uint8_t> bytes = writer.bytes();
  Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  ASSERT_TRUE(file) << file.error().message();
  const auto files = gguf_model(std::move(*file));
  const Result<WeightPlan> plan = WeightPlan::make(*files, *files->shape());
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_NE(plan->layers[1].key.source, nullptr);
  EXPECT_EQ(plan->layers[2].key.source, nullptr);
  EXPECT_EQ(plan->layers[3].value.source, nullptr);
}

TEST(WindowShape, ErrorsNameTheKey) {
  const auto with_list = [](const std::vector<bool>& list) {
    return error_with("mellum", [&](GgufWriter& w) {
      w.remove(kList);
      w.booleans(kList, list);
    });
  };
  const std::string key = "m.gguf: key '" + std::string(kList) + "': ";
  EXPECT_EQ(with_list({true, false}), key + "does not name every layer");
  EXPECT_EQ(with_list({true, true, true, true}), key + "leaves no layer that sees all tokens");
  const auto with = [](const char* name, std::uint32_t value) {
    return error_with("mellum", [&](GgufWriter& w) {
      w.remove(std::string("mellum.") + name);
      w.integer(std::string("mellum.") + name, value);
    });
  };
  EXPECT_EQ(with("attention.sliding_window_pattern", 0), key + "is not positive");
  EXPECT_EQ(with("attention.sliding_window_pattern", 1), "(none)") << "no layer has a window";
  EXPECT_EQ(with("attention.sliding_window", 1U << 30),
            "m.gguf: key 'mellum.attention.sliding_window': is no number of tokens");
  EXPECT_EQ(with("rope.dimension_count_swa", 8),
            "m.gguf: key 'mellum.rope.dimension_count_swa': rotation of a part of a head is not "
            "supported");
  EXPECT_EQ(error_with("mellum",
                       [](GgufWriter& w) {
                         w.remove("mellum.rope.freq_base_swa");
                         w.real("mellum.rope.freq_base_swa", 1);
                       }),
            "m.gguf: key 'mellum.rope.freq_base_swa': is not above 1");
  EXPECT_THAT(error_with("qwen3moe",
                         [](GgufWriter& w) { w.integer("qwen3moe.attention.sliding_window", 64); }),
              HasSubstr("asks for a sliding window, which redraft does not compute"));
}

TEST(WindowShape, ErrorsNameTheTensor) {
  const auto without = [](const char* name) {
    return error_with("gpt-oss", [&](GgufWriter& w) {
      std::erase_if(w.tensors(), [&](const auto& each) { return each.name == name; });
    });
  };
  EXPECT_EQ(without("blk.1.attn_sinks.weight"),
            "m.gguf: tensor 'blk.1.attn_sinks.weight': missing");
  EXPECT_EQ(without("blk.1.post_attention_norm.weight"),
            "m.gguf: tensor 'blk.1.post_attention_norm.weight': missing");
  EXPECT_EQ(without("blk.1.ffn_up_exps.bias"), "m.gguf: tensor 'blk.1.ffn_up_exps.bias': missing");
  EXPECT_EQ(
      error_with("gpt-oss",
                 [](GgufWriter& w) {
                   for (GgufWriter::Tensor& each : w.tensors()) {
                     if (each.name == "blk.2.ffn_down_exps.bias") each.shape = {8, 64};
                   }
                 }),
      "m.gguf: tensor 'blk.2.ffn_down_exps.bias': its shape is [8, 64] where [64, 8] is expected");
  EXPECT_THAT(error_with("mellum",
                         [](GgufWriter& w) {
                           w.tensor({"blk.0.attn_sinks.weight",
                                     {4},
                                     WeightFormat::kF32,
                                     std::vector<std::uint8_t>(16)});
                         }),
              HasSubstr("has no part in a mellum model"));
  // A mixture whose number of experts is missing is not run without them.
  EXPECT_THAT(error_with("gemma4",
                         [](GgufWriter& w) {
                           w.tensor({"blk.0.pre_ffw_norm_2.weight",
                                     {64},
                                     WeightFormat::kF32,
                                     std::vector<std::uint8_t>(256)});
                         }),
              HasSubstr("has no part in a gemma4 model"));
}

using Config = std::map<std::string, std::string>;

// "(none)": there is no error, and `shape` has been read.
std::string read_config(const Config& changes, TransformerShape& shape) {
  Config all = {{"model_type", R"("mellum")"},
                {"num_hidden_layers", "3"},
                {"hidden_size", "64"},
                {"max_position_embeddings", "512"},
                {"num_experts", "8"},
                {"num_experts_per_tok", "2"},
                {"moe_intermediate_size", "32"},
                {"num_attention_heads", "4"},
                {"num_key_value_heads", "2"},
                {"vocab_size", "300"},
                {"rms_norm_eps", "1e-6"},
                {"sliding_window", "48"},
                {"layer_types", R"(["sliding_attention", "full_attention", "sliding_attention"])"},
                {"rope_parameters",
                 R"({"full_attention": {"rope_type": "linear", "rope_theta": 7e4, "factor": 2},
                     "sliding_attention": {"rope_type": "default", "rope_theta": 3e4}})"}};
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

TEST(WindowConfig, IsReadAsTransformersDoes) {
  TransformerShape shape;
  ASSERT_EQ(read_config({}, shape), "(none)");
  EXPECT_EQ(shape.window, 48);
  EXPECT_THAT(shape.windowed, ElementsAre(true, false, true));
  EXPECT_EQ(shape.rope_base, 7e4);
  EXPECT_EQ(shape.rope_scaling.kind, RopeScaling::Kind::kLinear);
  EXPECT_EQ(shape.window_rope_base, 3e4);
  EXPECT_EQ(shape.window_rope_scaling.kind, RopeScaling::Kind::kNone);
  ASSERT_EQ(read_config({{"num_experts", ""}, {"num_local_experts", "4"}}, shape), "(none)");
  EXPECT_EQ(shape.experts, 4);
  const char* const kOne = R"({"rope_type": "linear", "rope_theta": 7e4, "factor": 2})";
  ASSERT_EQ(read_config({{"rope_parameters", kOne}}, shape), "(none)");
  EXPECT_EQ(shape.window_rope_base, 7e4);
  EXPECT_EQ(shape.window_rope_scaling.kind, RopeScaling::Kind::kNone);
  ASSERT_EQ(read_config({{"layer_types", R"(["full_attention", "full_attention",
                                             "full_attention"])"}},
                        shape),
            "(none)");
  EXPECT_TRUE(shape.windowed.empty());
}

TEST(WindowConfig, ErrorsNameTheKey) {
  TransformerShape shape;
  const auto error = [&](const Config& changes) { return read_config(changes, shape); };
  EXPECT_EQ(error({{"layer_types", R"(["sliding_attention", "full_attention"])"}}),
            "c.json: layer_types: does not name every layer");
  EXPECT_EQ(error({{"layer_types", R"(["sliding_attention", "conv", "full_attention"])"}}),
            "c.json: layer_types[1]: redraft computes 'full_attention' and 'sliding_attention' "
            "only");
  EXPECT_EQ(error({{"sliding_window", "0"}}), "c.json: sliding_window: is no number of tokens");
  EXPECT_THAT(error({{"sliding_window", ""}}), HasSubstr("sliding_window"));
  EXPECT_THAT(error({{"rope_parameters", R"({"full_attention": {"rope_theta": 7e4}})"}}),
              HasSubstr("sliding_attention"));
  EXPECT_EQ(error({{"num_nextn_predict_layers", "1"}}),
            "c.json: num_nextn_predict_layers: redraft does not run this model's MTP blocks");
  EXPECT_EQ(error({{"num_nextn_predict_layers", "null"}}), "(none)");
  EXPECT_EQ(error({{"mlp_layer_types", R"(["sparse", "dense", "sparse"])"}}),
            "c.json: mlp_layer_types[1]: redraft computes no layers without experts");
  EXPECT_THAT(error({{"model_type", R"("gpt_oss")"}}), HasSubstr("take a GGUF file of it"));
}

}  // namespace
}  // namespace redraft
