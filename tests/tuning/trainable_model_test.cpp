// The differentiable transformer on tiny models: its logits are those of transformers, its
// gradients the differences of its own losses.
#include "tuning/trainable_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/decoding/model/tiny_model.h"
#include "tests/tuning/trainable_kit.h"

namespace redraft {
namespace {

constexpr int kVocabulary = 64;

class TinyTrainable : public ::testing::TestWithParam<const char*> {};

// In units of the spread of a position's logits, as tiny_models_test has it. Both sides compute in
// single precision and differ in the order of sums only: some tens of roundings of 6e-8 each, and
// the angles of the positions, which the reference rounds to floats.
TEST_P(TinyTrainable, GivesTheLogitsOfTheReference) {
  const nlohmann::json golden = json_of(tiny_folder(GetParam()) / "logits.json");
  const auto ids = golden.at("ids").get<std::vector<TokenId>>();
  const auto reference = golden.at("logits").get<std::vector<std::vector<float>>>();
  for (const auto& path : {tiny_folder(GetParam()), tiny_folder(GetParam()) / "model.gguf"}) {
    const auto model = trainable(path);
    ASSERT_TRUE(model);
    const std::vector<float> ours = model->logits(ids);
    ASSERT_EQ(ours.size(), ids.size() * kVocabulary);
    double worst = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto [least, most] = std::minmax_element(reference[i].begin(), reference[i].end());
      for (std::size_t j = 0; j < kVocabulary; ++j) {
        const double off = std::fabs(ours[i * kVocabulary + j] - reference[i][j]);
        worst = std::max(worst, off / (*most - *least));
      }
    }
    std::printf("%-12s largest difference %.1e of the spread\n", GetParam(), worst);
    EXPECT_LT(worst, 1e-5);
  }
}

TEST_P(TinyTrainable, AdaptersChangeNothingUntilTheyAreTrained) {
  const auto model = trainable(tiny_folder(GetParam()));
  const TrainingText text = random_text(20, kVocabulary, 1);
  const std::vector<float> before = model->logits(text.tokens);
  for (float& parameter : model->parameters()) parameter = 0;
  EXPECT_EQ(model->logits(text.tokens), before);
  fill_parameters(*model, 1);
  EXPECT_NE(model->logits(text.tokens), before);
}

TEST_P(TinyTrainable, LossesAreThoseOfTheLogits) {
  const auto model = trainable(tiny_folder(GetParam()));
  fill_parameters(*model, 2);
  const TrainingText text = random_text(30, kVocabulary, 2);
  const std::vector<float> logits = model->logits(text.tokens);
  TextLoss expected;
  for (const std::int32_t position : text.learnt) {
    const float* row = logits.data() + static_cast<std::size_t>(position - 1) * kVocabulary;
    double sum = 0;
    for (int j = 0; j < kVocabulary; ++j) sum += std::exp(static_cast<double>(row[j]));
    const TokenId answer = text.tokens[static_cast<std::size_t>(position)];
    expected.sum += std::log(sum) - static_cast<double>(row[answer]);
    expected.right += std::max_element(row, row + kVocabulary) - row == answer ? 1 : 0;
    ++expected.tokens;
  }
  const TextLoss loss = model->loss(text);
  EXPECT_NEAR(loss.sum, expected.sum, 1e-5 * expected.sum);
  EXPECT_EQ(loss.right, expected.right);
  EXPECT_EQ(loss.tokens, expected.tokens);
}

// Along the gradient of each A and each B, with the dropout of one seed: there the slope is the
// gradient's length. The loss is of the order of 50 with an error of about 1e-5, so steps of 2e-3
// give the slope to some thousandths; what it bends on the way is less than a hundredth.
TEST_P(TinyTrainable, GradientsAreFiniteDifferences) {
  constexpr double kStep = 2e-3;
  for (const double dropout : {0.0, 0.3}) {
    const auto model =
        trainable(tiny_folder(GetParam()), {.lora = {.rank = 3, .alpha = 6, .dropout = dropout}});
    fill_parameters(*model, 3);
    const TrainingText text = random_text(24, kVocabulary, 3);
    const std::span<float> parameters = model->parameters();
    std::fill(model->gradients().begin(), model->gradients().end(), 0.0F);
    model->add_gradients(text, 1, 7);
    const std::vector<float> gradients(model->gradients().begin(), model->gradients().end());
    const std::vector<float> start(parameters.begin(), parameters.end());
    for (const LoraPair& pair : model->layout().pairs()) {
      const auto end = pair.b + static_cast<std::size_t>(3 * pair.out);
      for (const bool of_b : {false, true}) {
        const std::size_t first = of_b ? pair.b : pair.a;
        const std::size_t last = of_b ? end : pair.b;
        double squares = 0;
        for (std::size_t i = first; i < last; ++i) squares += gradients[i] * gradients[i];
        const double length = std::sqrt(squares);
        ASSERT_GT(length, 0.0) << pair.name;
        const auto loss_at = [&](double step) {
          for (std::size_t i = first; i < last; ++i)
            parameters[i] = start[i] + static_cast<float>(step * gradients[i] / length);
          const double sum = model->add_gradients(text, 0, 7).sum;
          std::copy(start.begin(), start.end(), parameters.begin());
          return sum;
        };
        const double slope = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
        EXPECT_NEAR(slope, length, 0.02 + 0.01 * length) << pair.name << " dropout " << dropout;
      }
    }
  }
}

TEST_P(TinyTrainable, GradientsAddUpAndScale) {
  const auto model = trainable(tiny_folder(GetParam()));
  fill_parameters(*model, 4);
  const TrainingText text = random_text(12, kVocabulary, 4);
  const auto gradients_of = [&](std::initializer_list<float> scales) {
    std::fill(model->gradients().begin(), model->gradients().end(), 0.0F);
    for (const float scale : scales) model->add_gradients(text, scale, 5);
    return std::vector<float>(model->gradients().begin(), model->gradients().end());
  };
  const std::vector<float> once = gradients_of({1});
  const std::vector<float> more = gradients_of({1, 0.5F});
  double largest = 0;
  for (const float each : once) largest = std::max(largest, std::fabs(static_cast<double>(each)));
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(more[i], 1.5 * once[i], 1e-5 * largest);
}

TEST_P(TinyTrainable, GivesTheSameBitsAgain) {
  const TrainingText text = random_text(40, kVocabulary, 6);
  std::vector<std::vector<float>> runs;
  for (int run = 0; run < 2; ++run) {
    const auto model = trainable(tiny_folder(GetParam()), {.threads = 2, .seed = 9});
    for (int i = 0; i < 3; ++i) model->add_gradients(text, 1, static_cast<std::uint64_t>(i));
    runs.emplace_back(model->gradients().begin(), model->gradients().end());
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_P(TinyTrainable, OtherSeedsDropOtherNumbers) {
  const auto model = trainable(tiny_folder(GetParam()));
  fill_parameters(*model, 5);
  const TrainingText text = random_text(20, kVocabulary, 5);
  const double first = model->add_gradients(text, 0, 1).sum;
  EXPECT_EQ(model->add_gradients(text, 0, 1).sum, first);
  EXPECT_NE(model->add_gradients(text, 0, 2).sum, first);
  EXPECT_NE(model->loss(text).sum, first);
}

// bfloat16 has 8 bits: a rounding of 0.4 % on the way into and out of every matrix.
TEST_P(TinyTrainable, HalfPrecisionIsNearby) {
  const auto exact = trainable(tiny_folder(GetParam()));
  const auto rounded =
      trainable(tiny_folder(GetParam()), {.precision = TrainingPrecision::kBFloat16});
  fill_parameters(*exact, 6);
  fill_parameters(*rounded, 6);
  const TrainingText text = random_text(30, kVocabulary, 7);
  const double loss = exact->add_gradients(text, 1, 1).sum;
  EXPECT_NEAR(rounded->add_gradients(text, 1, 1).sum, loss, 0.05 * loss);
  double product = 0;
  double left = 0;
  double right = 0;
  for (std::size_t i = 0; i < exact->gradients().size(); ++i) {
    const double a = exact->gradients()[i];
    const double b = rounded->gradients()[i];
    product += a * b;
    left += a * a;
    right += b * b;
  }
  EXPECT_GT(product / std::sqrt(left * right), 0.98);  // the cosine of their angle
}

TEST_P(TinyTrainable, AdaptsOnlyWhatWasRequested) {
  const auto model = trainable(tiny_folder(GetParam()),
                               {.lora = {.adapted = {LinearRole::kValue, LinearRole::kQuery}}});
  ASSERT_EQ(model->layout().pairs().size(), 4U);
  EXPECT_EQ(model->layout().pairs()[1].name, "model.layers.0.self_attn.v_proj");
  model->add_gradients(random_text(10, kVocabulary, 8), 1, 1);
  EXPECT_TRUE(std::any_of(model->gradients().begin(), model->gradients().end(),
                          [](float each) { return each != 0; }));
}

INSTANTIATE_TEST_SUITE_P(All, TinyTrainable,
                         ::testing::Values("qwen2", "qwen2_yarn", "qwen3", "llama_linear", "llama3",
                                           "llama_yarn", "seed_oss", "seed_oss_biased"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TrainableModel, QuantisedFilesAreReadToo) {
  const TinyModel tiny{.mixed_formats = true};
  const std::vector<std::uint8_t> bytes = tiny.writer().bytes();
  const auto files = gguf_model(*GgufFile::parse("tiny.gguf", bytes));
  const auto model = load_trainable(*files, {});
  ASSERT_TRUE(model) << model.error().message();
  const TextLoss loss = (*model)->loss(random_text(20, tiny.vocabulary, 1));
  EXPECT_TRUE(std::isfinite(loss.sum));
}

TEST(TrainableModel, AFileWithAMissingTensorIsAnError) {
  GgufWriter writer = TinyModel().writer();
  std::erase_if(writer.tensors(), [](const auto& t) { return t.name == "blk.1.ffn_up.weight"; });
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const auto files = gguf_model(*GgufFile::parse("tiny.gguf", bytes));
  const auto model = load_trainable(*files, {});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(), "tiny.gguf: tensor 'blk.1.ffn_up.weight': missing");
}

TEST(TrainableModel, WhatIsNotComputedIsRefused) {
  for (const auto& [architecture, what] :
       {std::pair("qwen3moe", "a mixture of experts"),
        std::pair("qwen35", "a model with recurrent layers"),
        std::pair("lfm2", "a model with recurrent layers"),
        std::pair("smollm3", "a model with layers that see no positions"),
        std::pair("mistral3", "a Mistral 3 model"),
        std::pair("granite", "a model with scaled residuals")}) {
    const std::vector<std::uint8_t> bytes =
        TinyModel{.architecture = architecture}.writer().bytes();
    const auto files = gguf_model(*GgufFile::parse("tiny.gguf", bytes));
    const auto model = load_trainable(*files, {});
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message(),
              "tiny.gguf: " + std::string(what) +
                  " cannot be trained; redraft trains llama, qwen2, qwen3, seed_oss models");
  }
}

TEST(TrainableModel, LoadingCanBeCancelled) {
  const std::vector<std::uint8_t> bytes = TinyModel().writer().bytes();
  const auto files = gguf_model(*GgufFile::parse("tiny.gguf", bytes));
  std::stop_source stop;
  stop.request_stop();
  const auto model = load_trainable(*files, {}, {.stop = stop.get_token(), .progress = {}});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(), "tiny.gguf: loading was cancelled");
}

}  // namespace
}  // namespace redraft
