#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "decoding/model/architecture.h"
#include "decoding/model/huggingface_model.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/model/row_invariance.h"
#include "tests/decoding/model/tiny_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class HuggingFace : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<LanguageModel> load(Result<std::unique_ptr<const ModelFiles>> files) {
    EXPECT_TRUE(files) << files.error().message();
    auto model = load_transformer(std::move(*files), kernels::best_isa(), pool_);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }
  RowBits logits(LanguageModel& model) {
    return verify_all(model, random_tokens(model, 24, 7), 24);
  }

  std::string error() {
    Result<std::unique_ptr<const ModelFiles>> files = open_model_files(folder_);
    if (!files) return files.error().message();
    const auto model = load_transformer(std::move(*files), kernels::best_isa(), pool_);
    return model ? "(loaded)" : model.error().message();
  }
  // The error after config.json was changed.
  std::string error_with(std::string_view from, std::string_view to) {
    TinyFolder tiny({});
    tiny.write(folder_);
    std::string config = tiny.config();
    const std::size_t at = config.find(from);
    EXPECT_NE(at, config.npos) << from;
    TinyFolder::write_text(folder_ / "config.json", config.replace(at, from.size(), to));
    return error();
  }
  std::string in_folder(const std::string& rest) const { return (folder_ / rest).string(); }

  fs::path folder_ =
      fs::path(::testing::TempDir()) / ("redraft_huggingface_test." + std::to_string(::getpid()));
  ThreadPool pool_{1};
};

TEST_F(HuggingFace, AFolderAndAGgufFileAreTheSameModel) {
  std::vector<TinyModel> models = {{.tied = true}, {.architecture = "qwen3", .head_dim = 32}};
  for (const Architecture& row : architectures()) {
    // The two forms of a hybrid have different conventions: tiny_models_test compares them.
    if (!row.is_hybrid() && row.no_folder.empty())
      models.push_back({.architecture = std::string(row.name), .experts = 12});
  }
  for (const TinyModel& tiny : models) {
    const TinyFolder folder(tiny);
    const std::vector<std::uint8_t> bytes = folder.gguf();
    const RowBits expected = logits(*load(gguf_model(*GgufFile::parse("tiny.gguf", bytes))));
    for (const std::size_t shards : {1, 3}) {
      folder.write(folder_, shards);
      EXPECT_TRUE(logits(*load(open_model_files(folder_))) == expected)
          << tiny.architecture << " in " << shards;
    }
  }
}

TEST_F(HuggingFace, LoadsWithItsTokenizer) {
  TinyFolder({}).write(folder_);
  const fs::path tokenizer = folder_ / "tokenizer.json";
  const Result<LoadedModel> without = load_model(folder_, pool_);
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message(), HasSubstr(tokenizer.string() + ": "));
  fs::copy_file(REDRAFT_TOKENIZER_JSON, tokenizer);
  TinyFolder::write_text(folder_ / "generation_config.json", R"({"eos_token_id": [266, 264]})");
  const Result<LoadedModel> loaded = load_model(folder_, pool_);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->architecture, "qwen2");
  const std::vector<TokenId> tokens = loaded->tokenizer->encode("than\n");
  EXPECT_EQ(loaded->tokenizer->decode(tokens), "than\n");
  const std::unique_ptr<KvCache> cache = loaded->model->new_cache(16);
  EXPECT_EQ(loaded->model->forward(tokens, {}, *cache, {.every_row = false}).argmax.size(), 1U);
}

TEST_F(HuggingFace, IsNamedByItsFolder) {
  TinyFolder({}).write(folder_);
  EXPECT_EQ((*open_model_files(folder_))->name(), folder_.filename().string());
  EXPECT_EQ((*open_model_files(folder_ / ""))->name(), folder_.filename().string());
}

TEST_F(HuggingFace, TakesTheConfigurationsOfNewerTools) {
  EXPECT_EQ(error_with("\"rope_theta\": 10000.0",
                       R"("rope_parameters": {"rope_type": "default", "rope_theta": 5e5})"),
            "(loaded)");
  EXPECT_EQ(error_with("\"rms_norm_eps\"",
                       R"("layer_types": ["full_attention", "full_attention"], "rms_norm_eps")"),
            "(loaded)");
}

TEST_F(HuggingFace, ErrorsNameTheKey) {
  const std::string config = in_folder("config.json: ");
  EXPECT_EQ(error_with("\"qwen2\"", "\"mamba\""),
            config + "model_type: " + unsupported_architecture("mamba"));
  EXPECT_EQ(error_with("\"num_hidden_layers\": 2", "\"num_hidden_layers\": \"2\""),
            config + "num_hidden_layers: expected a whole number");
  EXPECT_EQ(error_with("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 2000000"),
            config + "num_hidden_layers: 2000000 is outside 1..1024");
  EXPECT_EQ(error_with("\"num_attention_heads\": 4", "\"num_attention_heads\": -4"),
            config + "num_attention_heads: -4 is outside 1..1024");
  EXPECT_EQ(error_with("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3"),
            config + "num_key_value_heads: key-value heads do not divide the heads");
  EXPECT_EQ(error_with("\"hidden_size\": 64, ", ""), config + "has no hidden_size");
  EXPECT_EQ(error_with("\"silu\"", "\"gelu\""), config + "hidden_act: redraft computes silu");
  EXPECT_EQ(error_with("\"rope_theta\"",
                       R"("rope_scaling": {"type": "linear", "factor": "2"}, "rope_theta")"),
            config + "rope_scaling.factor: expected a number");
  EXPECT_EQ(error_with("\"rope_theta\"",
                       R"("rope_scaling": {"type": "dynamic", "factor": 2}, "rope_theta")"),
            config +
                "rope_scaling.type: 'dynamic' is not supported; redraft computes linear, "
                "llama3 and yarn");
  EXPECT_EQ(error_with("\"rope_theta\"", R"("quantization_config": {}, "rope_theta")"),
            config + "quantization_config: redraft reads quantised weights as GGUF only");
  EXPECT_EQ(error_with("\"rope_theta\": 10000.0", "\"rope_theta\": 0"),
            config + "rope_theta: is not above 1");
  EXPECT_THAT(error_with("{", "["), HasSubstr("config.json: malformed JSON at byte"));
}

TEST_F(HuggingFace, ErrorsNameTheTensorAsTheFolderDoes) {
  const auto with = [&](auto change) {
    TinyFolder tiny({});
    change(tiny.tensors());
    tiny.write(folder_);
    return error();
  };
  const auto named = [](auto& tensors, const std::string& name) -> auto& {
    return *std::find_if(tensors.begin(), tensors.end(),
                         [&](const auto& tensor) { return tensor.name == name; });
  };
  const std::string weights = in_folder("model.safetensors: tensor ");
  EXPECT_EQ(with([&](auto& tensors) {
              std::swap(named(tensors, "model.layers.1.mlp.up_proj.weight").shape[0],
                        named(tensors, "model.layers.1.mlp.up_proj.weight").shape[1]);
            }),
            weights +
                "'model.layers.1.mlp.up_proj.weight': its shape is [96, 64] where [64, 96] "
                "is expected");
  EXPECT_EQ(with([&](auto& tensors) {
              named(tensors, "model.layers.1.mlp.up_proj.weight").name =
                  "model.layers.1.mlp.up_proj.lora_A.weight";
            }),
            weights +
                "'model.layers.1.mlp.up_proj.lora_A.weight': has no part in a qwen2 model as "
                "redraft computes it");
  EXPECT_EQ(
      with([&](auto& tensors) { named(tensors, "lm_head.weight").name = "rotary_emb.inv_freq"; }),
      folder_.string() +
          ": tensor 'lm_head.weight': missing, and config.json does not tie "
          "it to the embedding (tie_word_embeddings)");
  EXPECT_EQ(with([&](auto& tensors) { named(tensors, "model.norm.weight").type = "F64"; }),
            weights + "'model.norm.weight': its type is 'F64'; redraft reads F32, F16 and BF16");
  EXPECT_THAT(with([&](auto& tensors) {
                named(tensors, "model.layers.0.mlp.down_proj.weight").name = "rotary_emb.inv_freq";
              }),
              HasSubstr("tensor 'blk.0.ffn_down.weight': missing"));
}

TEST_F(HuggingFace, ShardsLieInTheFolderAndHoldWhatTheIndexSays) {
  const auto with = [&](std::string_view from, std::string_view to) {
    TinyFolder({}).write(folder_, 2);
    const fs::path index = folder_ / "model.safetensors.index.json";
    std::ifstream stream(index);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos);
    TinyFolder::write_text(index, text.replace(at, from.size(), to));
    return error();
  };
  const std::string map = in_folder("model.safetensors.index.json: weight_map.lm_head.weight: ");
  EXPECT_EQ(with("model-0.safetensors", "../model-0.safetensors"),
            map + "a shard lies in the model's folder");
  EXPECT_EQ(with("model-0.safetensors", "/etc/passwd"), map + "a shard lies in the model's folder");
  EXPECT_EQ(with("model-0.safetensors", "model-7.safetensors"),
            map + "shard 'model-7.safetensors' is missing");
  EXPECT_EQ(with("model-0.safetensors", "model-1.safetensors"),
            map + "shard 'model-1.safetensors' does not have this tensor");
  EXPECT_EQ(with("\"model-0.safetensors\"", "3"), map + "expected a string");
  EXPECT_EQ(with("weight_map", "weights"),
            in_folder("model.safetensors.index.json: has no weight_map"));
  TinyFolder({}).write(folder_, 2);
  fs::copy_file(folder_ / "model-0.safetensors", folder_ / "model-1.safetensors",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(error(), HasSubstr("is in another shard too"));
}

TEST_F(HuggingFace, AFolderWithoutWeightsOrConfigurationSaysSo) {
  TinyFolder({}).write(folder_);
  fs::remove(folder_ / "model.safetensors");
  EXPECT_EQ(error(), folder_.string() +
                         ": has neither model.safetensors nor "
                         "model.safetensors.index.json; redraft reads weights as "
                         "safetensors or GGUF");
  fs::remove(folder_ / "config.json");
  EXPECT_EQ(error(), folder_.string() + ": a folder without config.json is no model");
}

TEST(HuggingFaceNames, KnowTheirRoles) {
  const Architecture& qwen2 = *find_architecture("qwen2");
  EXPECT_EQ(role_of_huggingface_tensor("model.layers.12.self_attn.q_proj.bias", qwen2),
            "blk.12.attn_q.bias");
  EXPECT_EQ(role_of_huggingface_tensor("lm_head.weight", qwen2), "output.weight");
  for (const char* name :
       {"", "model.layers.", "model.layers.1", "model.layers.01.mlp.up_proj.weight",
        "model.layers.-1.mlp.up_proj.weight", "model.layers.1.mlp.up_proj", "lm_head",
        "model.layers.1.input_layernorm.bias", "model.layers.99999.mlp.up_proj.weight"}) {
    EXPECT_EQ(role_of_huggingface_tensor(name, qwen2), "") << name;
  }
}

}  // namespace
}  // namespace redraft
