#include "decoding/model/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "decoding/kernels/weight_rounding.h"
#include "decoding/model/adapter_config.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/kernels/kernel_cases.h"
#include "tests/decoding/model/adapter_seeds.h"
#include "tests/decoding/model/row_invariance.h"
#include "tests/decoding/model/shaped_model.h"
#include "tests/decoding/model/tiny_adapter.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class AdapterTest : public ::testing::Test {
 protected:
  RowBits logits(Result<std::unique_ptr<const ModelFiles>> files) {
    EXPECT_TRUE(files) << files.error().message();
    auto model = load_transformer(std::move(*files), kernels::best_isa(), pool_);
    EXPECT_TRUE(model) << model.error().message();
    return verify_all(**model, random_tokens(**model, 24, 7), 24);
  }
  RowBits logits_of_gguf(const std::vector<std::uint8_t>& bytes) {
    return logits(gguf_model(*GgufFile::parse("tiny.gguf", bytes)));
  }

  static void write_file(const fs::path& file, const std::vector<std::uint8_t>& bytes) {
    TinyFolder::write_text(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  // Writes the folder's matrices with the adapter merged.
  void write_merged(TinyFolder folder, const TinyAdapter& adapter, float scale) {
    for (const TinyAdapter::Layer& layer : adapter.layers()) {
      const auto tensor = std::ranges::find(folder.tensors(), layer.module + ".weight",
                                            &SafetensorsWriter::Tensor::name);
      ASSERT_NE(tensor, folder.tensors().end());
      std::vector<float> weights(tensor->data.size() / sizeof(float));
      std::memcpy(weights.data(), tensor->data.data(), tensor->data.size());
      TinyAdapter::merge(layer, adapter.rank(), scale, weights);
      std::memcpy(tensor->data.data(), weights.data(), tensor->data.size());
    }
    folder.write(merged_);
  }

  std::string error() {
    const Result<std::unique_ptr<const ModelFiles>> files = open_model_files({base_, adapter_});
    return files ? "(loaded)" : files.error().message();
  }
  // The error after a change of the configuration of a good adapter.
  std::string error_with(std::string_view from, std::string_view to) {
    TinyFolder({}).write(base_);
    const TinyAdapter adapter({});
    std::string config = adapter.config();
    const std::size_t at = config.find(from);
    EXPECT_NE(at, config.npos) << from;
    TinyAdapter::write(adapter_, config.replace(at, from.size(), to), adapter.weights().bytes());
    return error();
  }
  // The error after a change of its tensors.
  std::string error_with(const std::function<void(std::vector<SafetensorsWriter::Tensor>&)>& change,
                         const std::string& config = TinyAdapter({}).config()) {
    TinyFolder({}).write(base_);
    SafetensorsWriter weights = TinyAdapter({}).weights();
    change(weights.tensors());
    TinyAdapter::write(adapter_, config, weights.bytes());
    return error();
  }

  std::string config_name() const { return (adapter_ / Adapter::kConfigName).string(); }
  std::string tensor(const std::string& name) const {
    return (adapter_ / Adapter::kWeightsName).string() + ": tensor '" + name + "': ";
  }

  TempFolder folder_;
  fs::path base_ = folder_.path() / "base";
  fs::path adapter_ = folder_.path() / "adapter";
  fs::path merged_ = folder_.path() / "merged";
  ThreadPool pool_{2};
};

const std::string kFirst = "base_model.model.model.layers.0.self_attn.q_proj";

SafetensorsWriter::Tensor& named(std::vector<SafetensorsWriter::Tensor>& tensors,
                                 const std::string& name) {
  return *std::ranges::find(tensors, name, &SafetensorsWriter::Tensor::name);
}

// Of a llama, too, whose queries and keys a GGUF file has in another order than the adapter.
TEST_F(AdapterTest, IsTheModelWithItsWeightsMerged) {
  for (const TinyModel& tiny :
       {TinyModel{}, TinyModel{.tied = true}, TinyModel{.architecture = "llama"},
        TinyModel{.architecture = "qwen3", .head_dim = 32},
        TinyModel{.architecture = "qwen3moe"}}) {
    const TinyFolder folder(tiny);
    const TinyAdapter adapter(tiny);
    folder.write(base_);
    write_file(folder_.path() / "base.gguf", folder.gguf());
    adapter.write(adapter_);
    write_merged(folder, adapter, 2);
    const RowBits merged = logits(open_model_files(merged_));
    EXPECT_TRUE(logits(open_model_files({base_, adapter_})) == merged) << tiny.architecture;
    EXPECT_TRUE(logits(open_model_files({folder_.path() / "base.gguf", adapter_})) == merged)
        << tiny.architecture;
    EXPECT_FALSE(logits(open_model_files(base_)) == merged) << "the adapter changes nothing";
  }
}

// What is merged is rounded again, to the format that format_of_changed() names, whatever format
// the file has.
TEST_F(AdapterTest, RoundsOnceToTheFormatOfChangedWeights) {
  const TinyModel tiny;
  const TinyAdapter adapter(tiny);
  adapter.write(adapter_);
  const fs::path file = folder_.path() / "base.gguf";
  std::mt19937 random(3);
  for (const WeightFormat stored : kernels::kAllFormats) {
    if (weight_format_info(stored)->block_size > 32) continue;  // wider than the tiny model
    GgufWriter base = tiny.writer();
    GgufWriter held = tiny.writer();
    for (const TinyAdapter::Layer& layer : adapter.layers()) {
      const std::string role = role_of_huggingface_tensor(layer.module + ".weight",
                                                          *find_architecture(tiny.architecture));
      const auto at = std::ranges::find(base.tensors(), role, &GgufWriter::Tensor::name);
      ASSERT_NE(at, base.tensors().end());
      at->format = stored;
      at->data = kernels::random_file(stored, layer.n, layer.k, random);
      const int count = layer.n * layer.k;
      std::vector<float> weights(static_cast<std::size_t>(count));
      dequantize_row(stored, at->data.data(), count, weights.data());
      TinyAdapter::merge(layer, adapter.rank(), 2, weights);
      GgufWriter::Tensor& to =
          held.tensors()[static_cast<std::size_t>(at - base.tensors().begin())];
      to.format = format_of_changed(stored);
      to.data.resize(weight_bytes(to.format, 1, count));
      quantize_row(to.format, weights.data(), count, to.data.data());
    }
    write_file(file, base.bytes());
    EXPECT_TRUE(logits(open_model_files({file, adapter_})) == logits_of_gguf(held.bytes()))
        << weight_format_info(stored)->name;
  }
}

// An adapter that was made and not trained: B is zero.
TEST_F(AdapterTest, ZerosLeaveFloatsUnchanged) {
  TinyAdapter adapter({});
  for (TinyAdapter::Layer& layer : adapter.layers()) std::ranges::fill(layer.b, 0.0F);
  adapter.write(adapter_);
  TinyFolder({}).write(base_);
  EXPECT_TRUE(logits(open_model_files({base_, adapter_})) == logits(open_model_files(base_)));
}

TEST_F(AdapterTest, ScalesByTheRootOfTheRankIfTold) {
  const TinyAdapter adapter({});
  TinyFolder({}).write(base_);
  const std::string config = adapter.config();
  std::string stabilised = config;
  stabilised.replace(stabilised.find("\"use_rslora\": false"), 19, "\"use_rslora\": true");
  TinyAdapter::write(adapter_, stabilised, adapter.weights().bytes());
  write_merged(TinyFolder({}), adapter, 4);  // 8 / sqrt(4)
  EXPECT_TRUE(logits(open_model_files({base_, adapter_})) == logits(open_model_files(merged_)));
}

TEST_F(AdapterTest, TakesHalfPrecisionPatternsAndThePartOfTheLayers) {
  EXPECT_EQ(error_with([](auto& tensors) {
              for (auto& each : tensors) {
                each.type = "BF16";
                std::vector<std::uint8_t> top;
                for (std::size_t i = 0; i < each.data.size(); i += 4)
                  top.insert(top.end(), {each.data[i + 2], each.data[i + 3]});
                each.data = top;
              }
            }),
            "(loaded)");
  EXPECT_EQ(error_with("\"target_modules\": [\"q_proj\", \"k_proj\", \"v_proj\", \"o_proj\", "
                       "\"gate_proj\", \"mlp.up_proj\", \"down_proj\"]",
                       "\"target_modules\": \"all-linear\""),
            "(loaded)");
  EXPECT_EQ(error_with([](auto& tensors) { tensors.erase(tensors.begin(), tensors.begin() + 14); }),
            "(loaded)")
      << "of the second layer alone";
}

TEST_F(AdapterTest, IsNamedBesideItsModel) {
  TinyFolder({}).write(base_);
  TinyAdapter({}).write(adapter_);
  const auto files = open_model_files({base_, adapter_});
  ASSERT_TRUE(files);
  EXPECT_EQ((*files)->name(), "base+adapter");
  EXPECT_EQ((*files)->path(), base_.string() + "+" + adapter_.string());
}

TEST_F(AdapterTest, RefusesTensorsThatDoNotFit) {
  EXPECT_EQ(error_with([](auto& t) {
              named(t, kFirst + ".lora_A.weight").shape = {64, 4};
            }),
            tensor(kFirst + ".lora_A.weight") +
                "its shape is [64, 4] where [4, 64] is expected, for r = 4");
  EXPECT_EQ(error_with([](auto& t) { named(t, kFirst + ".lora_B.weight").shape = {256}; }),
            tensor(kFirst + ".lora_B.weight") +
                "its shape is [256] where [64, 4] is expected, for r = 4");
  EXPECT_EQ(error_with([](auto& t) { t.erase(t.begin()); }),
            tensor(kFirst + ".lora_B.weight") + "its lora_A is missing");
  EXPECT_EQ(error_with([](auto& t) { t.erase(t.begin() + 1); }),
            tensor(kFirst + ".lora_A.weight") + "its lora_B is missing");
  for (const char* module : {"model.layers.2.self_attn.q_proj", "model.layers.00.self_attn.q_proj",
                             "model.layers.0.self_attn.x.q_proj", "transformer.h.0.q_proj"}) {
    const std::string name = std::string("base_model.model.") + module;
    EXPECT_EQ(error_with([&](auto& t) {
                named(t, kFirst + ".lora_A.weight").name = name + ".lora_A.weight";
                named(t, kFirst + ".lora_B.weight").name = name + ".lora_B.weight";
              }),
              tensor(name + ".lora_A.weight") + "the model " + base_.string() +
                  " has no linear layer of that name");
  }
}

TEST_F(AdapterTest, RefusesNumbersThatAreNotFinite) {
  const auto with = [&](const std::string& name, float value) {
    return error_with(
        [&](auto& t) { std::memcpy(named(t, name).data.data() + 4, &value, sizeof value); });
  };
  const std::string reason = "holds a number that is not finite";
  for (const float value : {NAN, INFINITY, -INFINITY})
    for (const char* part : {".lora_A.weight", ".lora_B.weight"})
      EXPECT_EQ(with(kFirst + part, value), tensor(kFirst + part) + reason);
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(with(kFirst + ".lora_B.weight", most), tensor(kFirst + ".lora_B.weight") + reason)
      << "beyond all floats once it is scaled";
  // Finite by itself, and infinite in the product.
  TinyFolder({}).write(base_);
  TinyAdapter adapter({});
  adapter.layers()[0].a[0] = adapter.layers()[0].b[0] = 1e30F;
  adapter.write(adapter_);
  auto files = open_model_files({base_, adapter_});
  ASSERT_TRUE(files);
  const auto model = load_transformer(std::move(*files), kernels::best_isa(), pool_);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(),
            (base_ / "model.safetensors").string() +
                ": tensor 'model.layers.0.self_attn.q_proj.weight': with the adapter " +
                adapter_.string() + ": holds a weight or a scale that is no finite number");
}

TEST_F(AdapterTest, RejectsWhatIsNotPlainLoraByName) {
  const auto renamed = [&](const std::string& name) {
    return error_with([&](auto& t) { t[0].name = name; });
  };
  EXPECT_EQ(
      renamed(kFirst + ".lora_magnitude_vector"),
      tensor(kFirst + ".lora_magnitude_vector") + "belongs to DoRA, which redraft does not merge");
  const std::string embedding = "base_model.model.model.embed_tokens.lora_embedding_A";
  EXPECT_EQ(renamed(embedding),
            tensor(embedding) + "adapts the embedding, which redraft does not merge");
  EXPECT_EQ(
      renamed(kFirst + ".base_layer.bias"),
      tensor(kFirst + ".base_layer.bias") + "is a trained bias, which redraft does not merge");
  EXPECT_EQ(renamed("base_model.model.lm_head.weight"),
            tensor("base_model.model.lm_head.weight") +
                "is a whole module (modules_to_save), which redraft does not merge");
  EXPECT_EQ(renamed(kFirst + ".lora_C.weight"),
            tensor(kFirst + ".lora_C.weight") +
                "is no part of a plain LoRA, which is all that redraft merges");
  EXPECT_EQ(renamed("model.layers.0.self_attn.q_proj.lora_A.weight"),
            tensor("model.layers.0.self_attn.q_proj.lora_A.weight") +
                "is no part of a plain LoRA, which is all that redraft merges");
  EXPECT_EQ(error_with([](auto& t) { t.clear(); }),
            (adapter_ / Adapter::kWeightsName).string() + ": has no tensors");
}

TEST_F(AdapterTest, RefusesOptionsThatItDoesNotMergeByName) {
  for (const char* option :
       {"use_dora", "fan_in_fan_out", "lora_bias", "use_qalora", "an_option_of_next_year"}) {
    TinyFolder({}).write(base_);
    const TinyAdapter adapter({});
    std::string config = adapter.config();
    const std::string off = "\"" + std::string(option) + "\": false";
    if (const std::size_t at = config.find(off); at != config.npos)
      config.replace(at, off.size(), "\"" + std::string(option) + "\": true");
    else
      config.insert(config.size() - 1, ", \"" + std::string(option) + "\": true");
    TinyAdapter::write(adapter_, config, adapter.weights().bytes());
    EXPECT_EQ(error(), config_name() + ": " + option +
                           ": redraft merges plain LoRA and knows no '" + option +
                           "'; merge the adapter with PEFT (merge_and_unload) and load the result");
  }
  EXPECT_THAT(error_with("\"modules_to_save\": null", "\"modules_to_save\": [\"lm_head\"]"),
              HasSubstr("knows no 'modules_to_save'"));
  EXPECT_THAT(error_with("\"rank_pattern\": {}", "\"rank_pattern\": {\"q_proj\": 8}"),
              HasSubstr("knows no 'rank_pattern'"));
  EXPECT_EQ(
      error_with("\"bias\": \"none\"", "\"bias\": \"all\""),
      config_name() + ": bias: 'all': redraft merges no trained biases, so it has to be 'none'");
  EXPECT_EQ(error_with("\"LORA\"", "\"IA3\""),
            config_name() + ": peft_type: 'IA3' is no LoRA, which is what redraft merges");
  EXPECT_THAT(error_with("\"init_lora_weights\": true", "\"init_lora_weights\": \"pissa_niter_4\""),
              HasSubstr("'pissa_niter_4' is relative to changed weights of the model"));
}

TEST_F(AdapterTest, RefusesAConfigurationThatDisagrees) {
  EXPECT_EQ(error_with("\"r\": 4", "\"r\": 0"), config_name() + ": r: 0 is outside 1..65536");
  EXPECT_EQ(
      error_with("\"r\": 4", "\"r\": 65"),
      config_name() + ": r: 65 is more than 'model.layers.0.mlp.down_proj' has inputs or outputs");
  EXPECT_EQ(error_with("\"r\": 4", "\"r\": 5"),
            tensor("base_model.model.model.layers.0.mlp.down_proj.lora_A.weight") +
                "its shape is [4, 96] where [5, 96] is expected, for r = 5");
  EXPECT_EQ(error_with("\"r\": 4, ", ""), config_name() + ": has no r");
  for (const char* alpha : {"0", "-8", "1e300"})
    EXPECT_EQ(error_with("\"lora_alpha\": 8", std::string("\"lora_alpha\": ") + alpha),
              config_name() + ": lora_alpha: is not between 0 and 1000000");
  EXPECT_EQ(error_with("\"q_proj\", \"k_proj\"", "\"k_proj\""),
            tensor(kFirst + ".lora_A.weight") + "target_modules of " + config_name() +
                " does not name it");
  EXPECT_EQ(error_with("\"q_proj\", ", "\"q_proj\", \"lm_head\", "),
            config_name() + ": target_modules: 'lm_head' has no tensor in " +
                (adapter_ / Adapter::kWeightsName).string());
  EXPECT_EQ(error_with("\"q_proj\", ", "\"\", "), config_name() + ": target_modules[0]: is empty");
  EXPECT_THAT(error_with("{\"peft_type\"", "[\"peft_type\""), HasSubstr("malformed JSON at byte"));
}

TEST_F(AdapterTest, RefusesFilesThatAreNoneOrTooLarge) {
  TinyFolder({}).write(base_);
  const TinyAdapter adapter({});
  adapter.write(adapter_);
  fs::remove(adapter_ / Adapter::kWeightsName);
  EXPECT_THAT(error(), HasSubstr((adapter_ / Adapter::kWeightsName).string()));
  std::vector<std::uint8_t> bytes = adapter.weights().bytes();
  bytes[4] = 1;  // a header of 4 GiB
  TinyAdapter::write(adapter_, adapter.config(), bytes);
  EXPECT_THAT(error(), HasSubstr("claims a header of 42949"));
  TinyAdapter::write(adapter_, adapter.config() + std::string(2 << 20, ' '),
                     adapter.weights().bytes());
  EXPECT_THAT(error(), HasSubstr(config_name()));
}

// The identity tells adapters apart that have the same name, size and date.
TEST_F(AdapterTest, IsIdentifiedByItsContent) {
  TinyAdapter({}).write(adapter_);
  const Result<std::string> first = adapter_identity(adapter_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), 128U);
  TinyAdapter({}, 4, 0.25F, 6).write(merged_);
  EXPECT_NE(*first, *adapter_identity(merged_));
  TinyAdapter({}).write(merged_);
  EXPECT_EQ(*first, *adapter_identity(merged_));
  EXPECT_FALSE(adapter_identity(base_));
}

TEST(AdapterSeeds, AreAccepted) {  // else fuzzing would begin at the first check
  const std::vector<std::int64_t> layer = {4, 3};
  const ShapedModel model({{"blk.0.attn_q.weight", layer}, {"blk.1.ffn_down.weight", layer}});
  const Result<JsonDocument> config = JsonDocument::parse("config", kAdapterSeedConfig);
  const std::vector<std::uint8_t> bytes = adapter_seed_weights().bytes();
  const Result<SafetensorsFile> weights = SafetensorsFile::parse("weights", bytes);
  ASSERT_TRUE(config && weights);
  const Result<Adapter> adapter = Adapter::parse(*config, *weights, model);
  ASSERT_TRUE(adapter) << adapter.error().message();
  EXPECT_EQ(adapter->size(), 2U);
}

TEST(AdapterConfigTest, NamesWholePartsOfModules) {
  const std::string module = "model.layers.0.mlp.up_proj";
  EXPECT_TRUE(AdapterConfig::names("up_proj", module));
  EXPECT_TRUE(AdapterConfig::names("mlp.up_proj", module));
  EXPECT_TRUE(AdapterConfig::names(module, module));
  EXPECT_FALSE(AdapterConfig::names("p_proj", module));
  EXPECT_FALSE(AdapterConfig::names("mlp", module));
  EXPECT_FALSE(AdapterConfig::names("x." + module, module));
}

}  // namespace
}  // namespace redraft
