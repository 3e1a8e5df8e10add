// What the files of SmolLM3, Mistral 3, Granite and Seed-OSS may say: GGUF as llama.cpp's converter
// writes it, config.json as transformers reads it, and errors that name the key or the tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>

#include "decoding/model/huggingface_config.h"
#include "decoding/model/transformer_shape.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

using Change = std::function<void(GgufWriter&)>;

Result<TransformerShape> shape_of(const std::string& architecture, const Change& change = {}) {
  GgufWriter writer =
      TinyModel{.architecture = architecture, .layers = 5, .tokenizer = ""}.writer();
  if (change) change(writer);
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error();
  return read_shape(*file);
}

std::string error_of(const std::string& architecture, const Change& change) {
  const Result<TransformerShape> shape = shape_of(architecture, change);
  return shape ? "(none)" : shape.error().message();
}

// Replaces a number.
Change with(const std::string& key, float value) {
  return [=](GgufWriter& w) {
    w.remove(key);
    w.real(key, value);
  };
}

TEST(DenseShape, EveryFourthLayerOfSmolLm3IsNotRotated) {
  const Result<TransformerShape> shape = shape_of("smollm3");
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_THAT(shape->unrotated, ElementsAre(false, false, false, true, false));
  EXPECT_TRUE(shape->rotates(2));
  EXPECT_FALSE(shape->rotates(3));
  EXPECT_TRUE(shape->rotates(5)) << "no layer of the model";
  EXPECT_TRUE(shape->paired_rows);
  EXPECT_THAT(shape_of("qwen2")->unrotated, IsEmpty());
}

TEST(DenseShape, ReadsTheTemperatureOfMistral3) {
  const Result<TransformerShape> shape = shape_of("mistral3");
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->temperature_scale, TinyModel::kTemperatureScale);
  EXPECT_EQ(shape->temperature_span, TinyModel::kOriginalContext);
  EXPECT_DOUBLE_EQ(shape->rope_scaling.attention_factor,
                   yarn_attention_factor(8, 1, TinyModel::kLogMultiplier));
  EXPECT_NE(shape->rope_scaling.attention_factor, yarn_attention_factor(8));
  const Result<TransformerShape> without = shape_of("mistral3", [](GgufWriter& w) {
    for (const char* key :
         {"attention.temperature_scale", "rope.scaling.type", "rope.scaling.factor",
          "rope.scaling.original_context_length", "rope.scaling.yarn_log_multiplier"})
      w.remove(std::string("mistral3.") + key);
  });
  ASSERT_TRUE(without) << without.error().message();
  EXPECT_EQ(without->temperature_scale, 0);
  EXPECT_EQ(without->rope_scaling.kind, RopeScaling::Kind::kNone);
}

TEST(DenseShape, ReadsTheScalesOfGranite) {
  const Result<TransformerShape> shape = shape_of("granite");
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->embedding_scale, TinyModel::kEmbeddingScale);
  EXPECT_EQ(shape->residual_scale, TinyModel::kResidualScale);
  EXPECT_EQ(shape->attention_scale, TinyModel::kAttentionScale);
  EXPECT_EQ(shape->logit_divisor, TinyModel::kLogitScale);
  EXPECT_THAT(shape->unrotated, IsEmpty());
  const Result<TransformerShape> none = shape_of("granite", [](GgufWriter& w) {
    for (const char* key : {"embedding_scale", "residual_scale", "attention.scale"})
      with(std::string("granite.") + key, 0)(w);
  });
  ASSERT_TRUE(none) << none.error().message();
  EXPECT_EQ(none->embedding_scale, 1);
  EXPECT_EQ(none->residual_scale, 1);
  EXPECT_EQ(none->attention_scale, 0) << "1 / sqrt(head_dim)";
  const auto finetuned = [](bool rotates) {
    return shape_of("granite",
                    [=](GgufWriter& w) { w.boolean("granite.rope.scaling.finetuned", rotates); });
  };
  EXPECT_THAT(finetuned(true)->unrotated, IsEmpty());
  EXPECT_THAT(finetuned(false)->unrotated, ElementsAre(true, true, true, true, true));
}

// As the converter writes Granite 4's models without Mamba layers.
TEST(DenseShape, AListOfEqualHeadsIsANumber) {
  const auto with_heads = [](const std::vector<std::int32_t>& heads) -> Change {
    return [=](GgufWriter& w) {
      w.remove("granite.attention.head_count_kv");
      w.integers("granite.attention.head_count_kv", heads);
    };
  };
  const Result<TransformerShape> shape = shape_of("granite", with_heads({2, 2, 2, 2, 2}));
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->kv_heads, 2);
  EXPECT_THAT(shape->recurrent, IsEmpty());
  const std::string key = "m.gguf: key 'granite.attention.head_count_kv': ";
  EXPECT_EQ(error_of("granite", with_heads({2, 2, 0, 2, 2})),
            key + "leaves a layer without attention");
  EXPECT_EQ(error_of("granite", with_heads({2, 2, 4, 2, 2})), key + "differs from layer to layer");
}

TEST(DenseShape, HostileScalesAreRefusedByName) {
  for (const float value : {-1.0F, 1e-40F, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    for (const char* name :
         {"embedding_scale", "residual_scale", "attention.scale", "logit_scale"}) {
      const std::string key = std::string("granite.") + name;
      EXPECT_EQ(error_of("granite", with(key, value)),
                "m.gguf: key '" + key + "': is not positive");
    }
  }
  EXPECT_EQ(error_of("granite", with("granite.logit_scale", 0)),
            "m.gguf: key 'granite.logit_scale': is not positive");
  EXPECT_EQ(error_of("granite", [](GgufWriter& w) { w.remove("granite.logit_scale"); }),
            "m.gguf: key 'granite.logit_scale': missing");
  const std::string temperature = "mistral3.attention.temperature_scale";
  for (const float value : {-1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(error_of("mistral3", with(temperature, value)),
              "m.gguf: key '" + temperature + "': is negative or no number");
  }
  EXPECT_THAT(error_of("mistral3", with("mistral3.rope.scaling.yarn_log_multiplier", -10)),
              HasSubstr("attn_factor': is not positive"));
}

// What these models have, the others may not, and the other way round.
TEST(DenseShape, OtherFamiliesAreRefusedTheKeys) {
  for (const char* name : {"seed_oss", "smollm3", "mistral3", "llama"}) {
    for (const char* key : {"embedding_scale", "residual_scale", "logit_scale", "attention.scale"})
      EXPECT_THAT(error_of(name, with(std::string(name) + "." + key, 0.5)), HasSubstr("scale"));
  }
  for (const char* name : {"seed_oss", "smollm3", "granite", "llama"}) {
    EXPECT_THAT(error_of(name, with(std::string(name) + ".attention.temperature_scale", 0.1F)),
                HasSubstr("asks for a temperature of scores"));
    EXPECT_THAT(error_of(name, with(std::string(name) + ".rope.scaling.yarn_log_multiplier", 1)),
                HasSubstr("asks for YaRN with a log multiplier"));
  }
  for (const char* name : {"seed_oss", "smollm3", "granite", "mistral3"}) {
    EXPECT_THAT(
        error_of(name, [&](GgufWriter& w) { w.integer(std::string(name) + ".expert_count", 8); }),
        HasSubstr("asks for a mixture of experts"));
    EXPECT_THAT(error_of(name,
                         [&](GgufWriter& w) {
                           w.integer(std::string(name) + ".attention.sliding_window", 64);
                         }),
                HasSubstr("asks for a sliding window"));
  }
  EXPECT_THAT(error_of("granite",
                       [](GgufWriter& w) {
                         w.integers("granite.deepstack_mapping", {-1, 0, -1, 1, -1});
                       }),
              HasSubstr("asks for images that enter between layers"));
}

TEST(DenseShape, SeedOssHasItsOwnNameForANorm) {
  const Result<TransformerShape> shape = shape_of("seed_oss");
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_FALSE(shape->paired_rows);
  const auto error = error_of("seed_oss", [](GgufWriter& w) {
    for (GgufWriter::Tensor& tensor : w.tensors()) {
      if (tensor.name == "blk.1.post_attention_norm.weight") tensor.name = "blk.1.ffn_norm.weight";
    }
  });
  EXPECT_EQ(error,
            "m.gguf: tensor 'blk.1.ffn_norm.weight': has no part in a seed_oss model as redraft "
            "computes it");
}

using Config = std::map<std::string, std::string>;

// "(none)": there is no error, and `shape` has been read.
std::string read_config(const std::string& type, const Config& changes, TransformerShape& shape) {
  Config all = {{"model_type", '"' + type + '"'},
                {"num_hidden_layers", "3"},
                {"hidden_size", "64"},
                {"max_position_embeddings", "512"},
                {"intermediate_size", "100"},
                {"num_attention_heads", "4"},
                {"num_key_value_heads", "2"},
                {"vocab_size", "300"},
                {"rms_norm_eps", "1e-5"}};
  std::string text;
  for (const auto& [key, value] : changes) all[key] = value;
  for (const auto& [key, value] : all)
    text += (text.empty() ? "" : ", ") + ('"' + key + "\": " + value);
  const Result<JsonDocument> document = JsonDocument::parse("c.json", "{" + text + "}");
  EXPECT_TRUE(document) << document.error().message();
  Result<TransformerShape> read = read_shape(document->root());
  if (!read) return read.error().message();
  shape = *read;
  return "(none)";
}

TEST(DenseConfig, LayersOfSmolLm3AreListedOrFollowFromAnInterval) {
  TransformerShape shape;
  const auto error = [&](const Config& changes) { return read_config("smollm3", changes, shape); };
  ASSERT_EQ(error({}), "(none)");
  EXPECT_THAT(shape.unrotated, ElementsAre(false, false, false));
  EXPECT_EQ(shape.rope_base, 2e6);
  ASSERT_EQ(error({{"no_rope_layer_interval", "2"}}), "(none)");
  EXPECT_THAT(shape.unrotated, ElementsAre(false, true, false));
  ASSERT_EQ(error({{"no_rope_layer_interval", "2"}, {"no_rope_layers", "[0, 1, 1, 0]"}}), "(none)");
  EXPECT_THAT(shape.unrotated, ElementsAre(true, false, false)) << "the list may be longer";
  EXPECT_EQ(error({{"no_rope_layers", "[0, 1]"}}),
            "c.json: no_rope_layers: does not name every layer");
  EXPECT_THAT(error({{"no_rope_layers", "[0, 2, 1]"}}), HasSubstr("c.json: no_rope_layers[1]: "));
  EXPECT_THAT(error({{"no_rope_layers", "3"}}), HasSubstr("c.json: no_rope_layers: "));
  EXPECT_EQ(error({{"no_rope_layer_interval", "0"}}),
            "c.json: no_rope_layer_interval: is not positive");
  EXPECT_EQ(error({{"use_sliding_window", "true"}, {"sliding_window", "16"}}),
            "c.json: use_sliding_window: redraft computes no sliding window");
  EXPECT_EQ(error({{"use_sliding_window", "false"}, {"sliding_window", "16"}}), "(none)");
}

TEST(DenseConfig, ReadsTheTemperatureOfMistral3) {
  TransformerShape shape;
  const auto error = [&](const std::string& rope, const Config& more = {}) {
    Config changes = more;
    if (!rope.empty()) changes["rope_parameters"] = rope;
    return read_config("ministral3", changes, shape);
  };
  const std::string yarn =
      R"("rope_type": "yarn", "factor": 16, "rope_theta": 1e6, "mscale": 1, "mscale_all_dim": 0.5)";
  const std::string context = R"(, "original_max_position_embeddings": 32)";
  ASSERT_EQ(error("{" + yarn + context + R"(, "llama_4_scaling_beta": 0.1})"), "(none)");
  EXPECT_EQ(shape.temperature_scale, 0.1);
  EXPECT_EQ(shape.temperature_span, 32);
  EXPECT_DOUBLE_EQ(shape.rope_scaling.attention_factor, yarn_attention_factor(16, 1, 0.5));
  ASSERT_EQ(error(R"({"rope_type": "default", "llama_4_scaling_beta": 0.1)" + context + "}"),
            "(none)");
  EXPECT_EQ(shape.temperature_span, 32);
  EXPECT_EQ(shape.rope_scaling.kind, RopeScaling::Kind::kNone);
  ASSERT_EQ(error("{" + yarn + context + "}"), "(none)");
  EXPECT_EQ(shape.temperature_scale, 0);
  EXPECT_EQ(error(R"({"rope_type": "default", "llama_4_scaling_beta": 0.1})"),
            "c.json: rope_parameters: needs the length of the original context");
  EXPECT_EQ(error("{" + yarn + context + R"(, "llama_4_scaling_beta": -0.1})"),
            "c.json: rope_parameters: is negative or no number");
  EXPECT_EQ(error(""), "c.json: rope_parameters: missing");
  const std::string plain = R"({"rope_type": "default"})";
  EXPECT_EQ(error(plain, {{"sliding_window", "16"}}),
            "c.json: sliding_window: redraft computes no sliding window");
  EXPECT_EQ(error(plain, {{"sliding_window", "512"}}), "(none)");
  EXPECT_EQ(error(plain, {{"sliding_window", "null"}}), "(none)");
}

TEST(DenseConfig, ReadsTheScalesOfGranite) {
  TransformerShape shape;
  const auto error = [&](const Config& changes) { return read_config("granite", changes, shape); };
  ASSERT_EQ(error({{"embedding_multiplier", "12"},
                   {"residual_multiplier", "0.22"},
                   {"attention_multiplier", "0.0078125"},
                   {"logits_scaling", "16"}}),
            "(none)");
  EXPECT_EQ(shape.embedding_scale, 12);
  EXPECT_EQ(shape.residual_scale, 0.22);
  EXPECT_EQ(shape.attention_scale, 0.0078125);
  EXPECT_EQ(shape.logit_divisor, 16);
  ASSERT_EQ(error({}), "(none)");
  EXPECT_EQ(shape.attention_scale, 1) << "what transformers takes";
  EXPECT_EQ(shape.logit_divisor, 1);
  for (const char* key :
       {"embedding_multiplier", "residual_multiplier", "attention_multiplier", "logits_scaling"}) {
    for (const char* value : {"0", "-2"}) {
      EXPECT_EQ(error({{key, value}}), std::string("c.json: ") + key + ": is not positive");
    }
  }
  ASSERT_EQ(read_config("seed_oss", {{"embedding_multiplier", "12"}}, shape), "(none)");
  EXPECT_EQ(shape.embedding_scale, 1) << "which that model does not have";
}

TEST(DenseConfig, AModelThatSeesIsRefusedByItsOuterType) {
  TransformerShape shape;
  for (const char* type : {"mistral3", "mistral", "granitemoe", "granitemoehybrid"})
    EXPECT_THAT(read_config(type, {}, shape), HasSubstr("is not supported; redraft runs llama, "));
  EXPECT_THAT(read_config("smollm", {}, shape), EndsWith(" models"));
}

}  // namespace
}  // namespace redraft
