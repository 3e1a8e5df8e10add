// The loop with a model that is a formula: each parameter's gradient is known, so what is tested is
// what the loop does with it.
#include "tuning/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

TransformerShape small_shape() {
  TransformerShape shape;
  shape.layers = 1;
  shape.hidden = 4;
  shape.feed_forward = 4;
  shape.heads = shape.kv_heads = 1;
  shape.head_dim = 4;
  return shape;
}

// The loss of a text is half the squared distance of every parameter from a number that the text's
// first token says, jittered by the dropout's seed, once for each learnt token.
class FormulaModel : public TrainableModel {
 public:
  explicit FormulaModel(std::uint64_t seed = 1)
      : layout_(small_shape(), {.rank = 1}),
        parameters_(layout_.size()),
        gradients_(layout_.size()) {
    layout_.fill_initial(parameters_, seed);
  }
  const LoraLayout& layout() const override { return layout_; }
  std::span<float> parameters() override { return parameters_; }
  std::span<float> gradients() override { return gradients_; }
  TextLoss add_gradients(const TrainingText& text, float scale, std::uint64_t seed) override {
    seeds.push_back(seed);
    seen.push_back(text.tokens[0]);
    const float jitter = static_cast<float>(seed % 1000) / 10000;
    const auto learnt = static_cast<float>(text.learnt.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      gradients_[i] += scale * learnt * (parameters_[i] - goal(text) + jitter);
    return loss(text);
  }
  TextLoss loss(const TrainingText& text) override {
    double sum = 0;
    for (const float each : parameters_) sum += 0.5 * std::pow(each - goal(text), 2);
    const auto learnt = static_cast<std::int64_t>(text.learnt.size());
    if (text.tokens[0] == kPoison) sum = NAN;
    return {sum * static_cast<double>(learnt), 0, learnt};
  }
  std::vector<float> logits(std::span<const TokenId>) override { return {}; }

  static constexpr TokenId kPoison = 999;
  std::vector<std::uint64_t> seeds;
  std::vector<TokenId> seen;

 private:
  static float goal(const TrainingText& text) { return static_cast<float>(text.tokens[0]) / 100; }
  LoraLayout layout_;
  std::vector<float> parameters_, gradients_;
};

std::vector<TrainingText> texts(int count) {
  std::vector<TrainingText> out;
  for (int i = 0; i < count; ++i) {
    out.push_back({std::vector<TokenId>(static_cast<std::size_t>(2 + i), i), {1}});
    if (i % 2 == 1) out.back().learnt.push_back(2);
  }
  return out;
}

constexpr int kTexts = 10;
const TrainingPlan kPlan{
    .examples = kTexts, .batch = 4, .steps = 7, .warmup = 2, .learning_rate = 0.05};

std::vector<float> numbers(const TrainingState& state) { return state.parameters; }

// Whatever a checkpoint has but the clock.
void expect_equal(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.place, b.place);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.moments.mean, b.moments.mean);
  EXPECT_EQ(a.moments.square, b.moments.square);
  EXPECT_EQ(a.batch.sum, b.batch.sum);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].loss, b.steps[i].loss);
    EXPECT_EQ(a.steps[i].rate, b.steps[i].rate);
    EXPECT_EQ(a.steps[i].length, b.steps[i].length);
    EXPECT_EQ(a.steps[i].tokens, b.steps[i].tokens);
    EXPECT_EQ(a.steps[i].held_out, b.steps[i].held_out);
  }
}

TEST(Training, SeesEveryExampleOnceAnEpoch) {
  FormulaModel model;
  Training training(model, texts(kTexts), {}, kPlan, {});
  ASSERT_TRUE(training.run({}));
  // Seven steps of 4, 4, 2: two epochs and a step.
  ASSERT_EQ(model.seen.size(), 24U);
  for (const std::size_t epoch : {0U, 1U}) {
    const auto begin = model.seen.begin() + static_cast<std::ptrdiff_t>(epoch * kTexts);
    EXPECT_EQ(std::set<TokenId>(begin, begin + kTexts).size(), 10U);
  }
  EXPECT_FALSE(
      std::equal(model.seen.begin(), model.seen.begin() + kTexts, model.seen.begin() + kTexts));
  EXPECT_EQ(std::set<std::uint64_t>(model.seeds.begin(), model.seeds.end()).size(), 24U);
}

TEST(Training, ABatchCountsItsTokensAlike) {
  FormulaModel model;
  const std::vector<float> start(model.parameters().begin(), model.parameters().end());
  Training training(model, texts(3), {},
                    {.examples = 3, .batch = 3, .steps = 1, .warmup = 0, .learning_rate = 0.1}, {});
  ASSERT_TRUE(training.run({}));
  const StepRecord& step = training.state().steps[0];
  EXPECT_EQ(step.tokens, 4);  // 1, 2 and 1
  double sum = 0;
  for (const auto& [goal, count] : {std::pair{0.0, 1}, std::pair{0.01, 2}, std::pair{0.02, 1}})
    for (const float each : start) sum += count * 0.5 * std::pow(each - goal, 2);
  EXPECT_NEAR(step.loss, sum / 4, 1e-6);
  EXPECT_EQ(step.rate, 0.1);
}

TEST(Training, LearnsAndMeasuresWhatIsHeldOut) {
  FormulaModel model;
  Training training(
      model, texts(kTexts), texts(2),
      {.examples = kTexts, .batch = 5, .steps = 50, .warmup = 5, .learning_rate = 0.05},
      {.optimiser = {}, .max_length = 0, .evaluate_every = 20});
  ASSERT_TRUE(training.run({}));
  const auto& steps = training.state().steps;
  EXPECT_LT(steps.back().loss, 0.3 * steps.front().loss);
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(steps[i].held_out.has_value(), i == 19 || i == 39 || i == 49) << i;
  EXPECT_LT(*steps[49].held_out, *steps[19].held_out);
}

// Stopped after any example, saved, loaded into a new model and resumed: the bits of one run.
TEST(Training, AResumedRunIsAnUninterruptedOne) {
  const RunIdentity identity = {{"model", "formula"}, {"batch", "4"}};
  FormulaModel whole_model;
  Training whole(whole_model, texts(kTexts), texts(2), kPlan,
                 {.optimiser = {}, .evaluate_every = 3});
  ASSERT_TRUE(whole.run({}));
  const TempFolder folder;
  const auto file = folder.path() / "checkpoint";
  for (int stops_after = 0; stops_after <= 24; ++stops_after) {
    {
      FormulaModel model;
      Training part(model, texts(kTexts), texts(2), kPlan, {.optimiser = {}, .evaluate_every = 3});
      std::stop_source stop;
      int left = stops_after;
      if (left == 0) stop.request_stop();
      ASSERT_TRUE(part.run({.stop = stop.get_token(), .on_example = [&] {
                              if (--left == 0) stop.request_stop();
                            }}));
      EXPECT_EQ(model.seen.size(), static_cast<std::size_t>(stops_after));
      const Result<void> saved = save_checkpoint(file, identity, part.state());
      ASSERT_TRUE(saved) << saved.error().message();
    }
    FormulaModel model(77);  // what it starts with does not matter
    Training rest(model, texts(kTexts), texts(2), kPlan, {.optimiser = {}, .evaluate_every = 3});
    auto state = load_checkpoint(file, identity, model.parameters().size());
    ASSERT_TRUE(state) << state.error().message();
    ASSERT_TRUE(rest.resume(std::move(*state)));
    EXPECT_EQ(rest.tokens_done() == 0, stops_after == 0);
    ASSERT_TRUE(rest.run({}));
    expect_equal(rest.state(), whole.state());
    EXPECT_EQ(rest.tokens_done(), rest.tokens_in_all());
  }
}

TEST(Training, OtherSeedsGiveOtherRuns) {
  std::set<std::vector<float>> ends;
  for (const std::uint64_t seed : {1U, 2U}) {
    FormulaModel model;
    TrainingPlan plan = kPlan;
    plan.seed = seed;
    Training training(model, texts(kTexts), {}, plan, {});
    ASSERT_TRUE(training.run({}));
    ends.insert(numbers(training.state()));
  }
  EXPECT_EQ(ends.size(), 2U);
}

TEST(Training, ALossThatIsNoNumberEndsIt) {
  FormulaModel model;
  std::vector<TrainingText> poisoned = texts(2);
  poisoned[1].tokens[0] = FormulaModel::kPoison;
  Training training(model, poisoned, {}, {.examples = 2, .batch = 2, .steps = 3}, {});
  const Result<void> ran = training.run({});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message(),
            "step 1: the loss is no longer finite; try a lower learning rate");
}

TEST(Training, ErrorsOfTheWatchEndIt) {
  FormulaModel model;
  Training training(model, texts(kTexts), {}, kPlan, {});
  const Result<void> ran = training.run(
      {.stop = {}, .on_example = {}, .on_step = [] { return Result<void>(Error("disk full")); }});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message(), "disk full");
  EXPECT_EQ(training.steps_done(), 1);
}

TEST(Training, ACheckpointBeyondTheEndIsAnError) {
  FormulaModel model;
  Training whole(model, texts(kTexts), {}, kPlan, {});
  ASSERT_TRUE(whole.run({}));
  FormulaModel other;
  TrainingPlan shorter = kPlan;
  shorter.steps = 3;
  Training training(other, texts(kTexts), {}, shorter, {});
  EXPECT_FALSE(training.resume(whole.state()));
}

TEST(TrainingPlan, RatesRiseAndFollowHalfACosine) {
  const TrainingPlan plan{.examples = 1, .steps = 110, .warmup = 10, .learning_rate = 2e-5};
  EXPECT_EQ(plan.rate_of(0), 0);
  EXPECT_DOUBLE_EQ(plan.rate_of(5), 1e-5);
  EXPECT_DOUBLE_EQ(plan.rate_of(10), 2e-5);
  EXPECT_NEAR(plan.rate_of(60), 1e-5, 1e-12);
  EXPECT_NEAR(plan.rate_of(110), 0, 1e-12);
}

}  // namespace
}  // namespace redraft
