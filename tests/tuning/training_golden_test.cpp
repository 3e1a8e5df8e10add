// The whole of training on tiny models compared with PEFT, transformers and torch
// (tools/reference/make_tuning_goldens.py): losses, gradients, and the adapter after some steps.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "decoding/model/safetensors.h"
#include "tests/kit/temp_folder.h"
#include "tests/tuning/trainable_kit.h"
#include "tuning/adapter_files.h"
#include "tuning/training.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// The numbers of a safetensors file with PEFT's names, in the order of a layout.
std::vector<float> read_in_order(const fs::path& file, const LoraLayout& layout) {
  const Result<SafetensorsFile> opened = SafetensorsFile::open(file);
  EXPECT_TRUE(opened) << opened.error().message();
  std::map<std::string, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : opened->tensors()) by_name[std::string(tensor.name)] = &tensor;
  EXPECT_EQ(by_name.size(), 2 * layout.pairs().size());
  std::vector<float> out(layout.size());
  const auto take = [&](const std::string& name, std::size_t first, std::int64_t rows,
                        std::int64_t columns) {
    const StoredTensor* tensor = by_name[name];
    ASSERT_NE(tensor, nullptr) << name;
    ASSERT_EQ(tensor->shape, (std::vector<std::int64_t>{columns, rows})) << name;
    std::memcpy(out.data() + first, tensor->data.data(), tensor->data.size());
  };
  for (const LoraPair& pair : layout.pairs()) {
    const std::string name = "base_model.model." + pair.name;
    take(name + ".lora_A.weight", pair.a, layout.options().rank, pair.in);
    take(name + ".lora_B.weight", pair.b, pair.out, layout.options().rank);
  }
  return out;
}

double largest(const std::vector<float>& values) {
  double out = 0;
  for (const float each : values) out = std::max(out, std::fabs(static_cast<double>(each)));
  return out;
}

class TrainingGolden : public ::testing::TestWithParam<const char*> {
 protected:
  static fs::path folder() { return fs::path(REDRAFT_CASES) / "tuning" / GetParam(); }

  void SetUp() override {
    golden_ = json_of(folder() / "training.json");
    for (const auto& each : golden_.at("texts")) {
      texts_.push_back({each.at("tokens").get<std::vector<TokenId>>(),
                        each.at("learnt").get<std::vector<std::int32_t>>()});
    }
  }

  // With the golden's adapter; from the GGUF file, whose rows of a llama have another order.
  std::unique_ptr<TrainableModel> load() const {
    auto model = trainable(tiny_folder(GetParam()) / "model.gguf",
                           {.lora = {.rank = golden_.at("rank").get<int>(),
                                     .alpha = golden_.at("alpha").get<double>(),
                                     .dropout = 0}});
    const std::vector<float> start =
        read_in_order(folder() / "adapter_model.safetensors", model->layout());
    std::copy(start.begin(), start.end(), model->parameters().begin());
    return model;
  }

  TrainingPlan plan() const {
    const auto& run = golden_.at("run");
    return {.examples = static_cast<int>(texts_.size()),
            .batch = static_cast<int>(texts_.size()),
            .steps = run.at("steps").get<int>(),
            .warmup = run.at("warmup").get<int>(),
            .learning_rate = run.at("learning_rate").get<double>()};
  }

  nlohmann::json golden_;
  std::vector<TrainingText> texts_;
};

TEST_P(TrainingGolden, LossesAndGradientsAreTorchs) {
  const auto model = load();
  float learnt = 0;
  for (const TrainingText& text : texts_) learnt += static_cast<float>(text.learnt.size());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const auto expected = golden_.at("sums")[i].get<double>();
    EXPECT_NEAR(model->add_gradients(texts_[i], 1 / learnt, 0).sum, expected, 1e-5 * expected);
  }
  const std::vector<float> expected =
      read_in_order(folder() / "gradients.safetensors", model->layout());
  const double tolerance = 2e-5 * largest(expected);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(model->gradients()[i], expected[i], tolerance) << i;
}

TEST_P(TrainingGolden, StepsAreTorchs) {
  const auto model = load();
  const auto& run = golden_.at("run");
  Training training(*model, texts_, {}, plan(),
                    {.optimiser = {.weight_decay = run.at("weight_decay").get<double>()},
                     .max_length = run.at("max_length").get<double>()});
  const Result<void> ran = training.run({});
  ASSERT_TRUE(ran) << ran.error().message();
  const auto& steps = training.state().steps;
  ASSERT_EQ(steps.size(), golden_.at("steps").size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& expected = golden_.at("steps")[i];
    EXPECT_NEAR(steps[i].rate, expected.at("rate").get<double>(), 1e-12);
    const auto loss = expected.at("loss").get<double>();
    const auto length = expected.at("length").get<double>();
    // Roundings grow from step to step: the optimiser divides by small numbers.
    EXPECT_NEAR(steps[i].loss, loss, 2e-4 * loss) << i;
    EXPECT_NEAR(steps[i].length, length, 2e-3 * length) << i;
  }
  const std::vector<float> expected =
      read_in_order(folder() / "trained.safetensors", model->layout());
  double off = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    off += std::fabs(static_cast<double>(model->parameters()[i]) - expected[i]);
  // A step moves a parameter by up to the rate, 0.02.
  EXPECT_LT(off / static_cast<double>(expected.size()), 2e-5);
}

TEST_P(TrainingGolden, AdaptersAreWrittenAsTheyAreRead) {
  const auto model = load();
  const TempFolder out;
  const Result<void> written =
      write_adapter(out.path(), model->layout(), model->parameters(), "tiny \"one\"");
  ASSERT_TRUE(written) << written.error().message();
  const std::vector<float> again =
      read_in_order(out.path() / "adapter_model.safetensors", model->layout());
  EXPECT_TRUE(std::equal(again.begin(), again.end(), model->parameters().begin()));
  const nlohmann::json ours = json_of(out.path() / "adapter_config.json");
  const nlohmann::json peft = json_of(folder() / "adapter_config.json");
  for (const auto& [key, value] : ours.items())
    EXPECT_TRUE(peft.contains(key) && (key == "target_modules" ||
                                       key == "base_model_name_or_path" || peft.at(key) == value))
        << key;
  EXPECT_EQ(ours.at("target_modules").get<std::vector<std::string>>().size(), 7U);
}

INSTANTIATE_TEST_SUITE_P(All, TrainingGolden, ::testing::Values("qwen2", "llama3"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace redraft
