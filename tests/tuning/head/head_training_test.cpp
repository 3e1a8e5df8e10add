#include "tuning/head/head_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "tests/tuning/head/rows_kit.h"
#include "tuning/head/head_start.h"

namespace redraft {
namespace {

constexpr int kTexts = 6;
constexpr int kRows = 8;  // each

class Training : public ::testing::Test {
 protected:
  void SetUp() override {
    write_rows(folder_.path(), kTexts, kRows);
    Result<RecordedRows> rows = RecordedRows::open(folder_.path());
    ASSERT_TRUE(rows) << rows.error().message();
    rows_ = std::make_unique<RecordedRows>(std::move(*rows));
    data_ = std::make_unique<HeadData>(*rows_, target_.rows(), some_tokens(40, 0));
  }

  std::unique_ptr<TrainableHead> head(std::uint64_t seed = 1) {
    auto made = make_trainable_head({.shape = shape_, .epsilon = 1e-6});
    EXPECT_TRUE(made);
    std::ranges::copy(initial_head(shape_, target_.rows(), data_->vocabulary(), seed),
                      (*made)->parameters().begin());
    return std::move(*made);
  }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows_->size(); ++i) out.push_back(i);
    return out;
  }
  HeadTraining training(TrainableHead& head, const TrainingPlan& plan,
                        const TrainingOptions& options = {.optimiser = {}, .evaluate_every = 3}) {
    return {head, *data_, all(), {data_.get(), {0, 1, 2, 5}}, plan, options, pool_};
  }

  const TrainingPlan plan_{
      .examples = kTexts * kRows, .batch = 20, .steps = 7, .warmup = 2, .learning_rate = 0.01};
  DraftHeadShape shape_ = {.hidden = 64,
                           .target_layers = 2,
                           .target_vocabulary = 300,
                           .layers = {0, 1},
                           .tokens = 3,
                           .width = 96,
                           .vocabulary = 40,
                           .target = "tiny"};
  TempFolder folder_;
  TinyTarget target_;
  ThreadPool pool_{2};
  std::unique_ptr<RecordedRows> rows_;
  std::unique_ptr<HeadData> data_;
};

// It says at every place what the target's last layer says there.
TEST_F(Training, AHeadBeginsWithWhatTheTargetSaid) {
  const auto fresh = head();
  for (const std::size_t row : {0U, 5U}) {
    const Result<HeadBatch> batch = data_->batch(std::vector{row});
    ASSERT_TRUE(batch);
    std::vector<double> last, logits;
    double squares = 0;
    for (std::size_t i = 64; i < 128; ++i) {
      last.push_back(kernels::half_to_float(batch->features[i]));
      squares += last.back() * last.back();
    }
    std::vector<float> weights(64);
    double all = 0;
    for (const TokenId token : data_->vocabulary()) {
      target_.rows().head(token, weights);
      double logit = 0;
      for (std::size_t i = 0; i < 64; ++i)
        logit += static_cast<double>(weights[i]) * last[i] / std::sqrt(squares / 64) *
                 static_cast<double>(target_.rows().output_norm()[i]);
      logits.push_back(logit);
      all += std::exp(logit);
    }
    HeadBatch asked = *batch;
    asked.answers = {3, 3, 3};
    const HeadLoss loss = fresh->loss(asked);
    // A little of the other layer and of the newest token is in it, and no more.
    for (int place = 0; place < 3; ++place)
      EXPECT_NEAR(loss.losses[static_cast<std::size_t>(place)], std::log(all) - logits[3], 0.5);
    EXPECT_EQ(loss.losses[0], loss.losses[2]);
  }
}

TEST_F(Training, LearnsAHandfulOfRowsByHeart) {
  const auto learning = head();
  HeadTraining run = training(*learning,
                              {.examples = kTexts * kRows,
                               .batch = kTexts * kRows,
                               .steps = 60,
                               .warmup = 5,
                               .learning_rate = 0.01},
                              {.optimiser = {}, .evaluate_every = 20});
  ASSERT_TRUE(run.run({}));
  const std::vector<StepRecord>& steps = run.state().steps;
  ASSERT_EQ(steps.size(), 60U);
  EXPECT_GT(steps.front().loss, 2);
  EXPECT_LT(steps.front().accuracy, 0.3);
  EXPECT_LT(steps.back().loss, 0.05);
  EXPECT_EQ(steps.back().accuracy, 1);
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(steps[i].held_out.has_value(), i % 20 == 19) << i;
  // Four tokens a pass: three are right and the target adds one.
  ASSERT_EQ(steps.back().more.size(), 4U);
  EXPECT_EQ(steps.back().more, (std::vector<double>{4, 1, 1, 1}));
  EXPECT_LT(steps[19].more[0], 4.001);
}

TEST_F(Training, AScoreCountsWhatIsAccepted) {
  const auto fresh = head();
  const Result<HeadScore> score = score_head(*fresh, *data_, all());
  ASSERT_TRUE(score);
  std::int64_t whole = 0, accepted = 0;
  std::vector<HeadScore::Place> places(3);
  double sum = 0, weight = 0;
  for (std::size_t row = 0; row < rows_->size(); ++row) {
    const HeadLoss loss = fresh->loss(*data_->batch(std::vector{row}));
    sum += loss.sum;
    weight += loss.weight;
    const int count = rows_->labels(row).count;
    for (std::size_t place = 0; place < static_cast<std::size_t>(count); ++place) {
      ++places[place].asked;
      places[place].right += loss.right[place];
    }
    if (count < 3) continue;
    ++whole;
    accepted += !loss.right[0] ? 0 : !loss.right[1] ? 1 : !loss.right[2] ? 2 : 3;
  }
  EXPECT_NEAR(score->loss, sum / weight, 1e-5);
  EXPECT_EQ(score->whole_rows, whole);
  EXPECT_EQ(score->accepted, accepted);
  for (std::size_t place = 0; place < 3; ++place) {
    EXPECT_EQ(score->places[place].asked, places[place].asked);
    EXPECT_EQ(score->places[place].right, places[place].right);
  }
  EXPECT_EQ(places[2].asked, whole);
  EXPECT_NEAR(score->acceptance_length(),
              1 + static_cast<double>(accepted) / static_cast<double>(whole), 1e-12);
}

// Stopped after any step, saved, loaded into a new head and resumed: the bits of one run.
TEST_F(Training, AResumedRunIsAnUninterruptedOne) {
  const RunIdentity identity = {{"seed", "1"}};
  const auto whole_head = head();
  HeadTraining whole = training(*whole_head, plan_);
  ASSERT_TRUE(whole.run({}));
  const auto file = folder_ / "checkpoint";
  for (int stops_after = 0; stops_after <= 7; ++stops_after) {
    {
      const auto part_head = head();
      HeadTraining part = training(*part_head, plan_);
      std::stop_source stop;
      int left = stops_after;
      if (left == 0) stop.request_stop();
      ASSERT_TRUE(part.run({.stop = stop.get_token(), .on_step = [&]() -> Result<void> {
                              if (--left == 0) stop.request_stop();
                              return {};
                            }}));
      EXPECT_EQ(part.steps_done(), stops_after);
      ASSERT_TRUE(save_checkpoint(file, identity, part.state()));
    }
    const auto rest_head = head(77);  // what it starts with does not matter
    HeadTraining rest = training(*rest_head, plan_);
    ASSERT_TRUE(rest.seconds_of_step());  // leaves no trace
    ASSERT_TRUE(rest.seconds_of_look());
    auto state = load_checkpoint(file, identity, rest_head->parameters().size());
    ASSERT_TRUE(state) << state.error().message();
    ASSERT_TRUE(rest.resume(std::move(*state)));
    ASSERT_TRUE(rest.run({}));
    EXPECT_EQ(rest.state().parameters, whole.state().parameters);
    EXPECT_EQ(rest.state().moments.mean, whole.state().moments.mean);
    EXPECT_EQ(rest.state().moments.square, whole.state().moments.square);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(rest.state().steps[i].loss, whole.state().steps[i].loss);
      EXPECT_EQ(rest.state().steps[i].held_out, whole.state().steps[i].held_out);
      EXPECT_EQ(rest.state().steps[i].more, whole.state().steps[i].more);
    }
  }
}

TEST_F(Training, TimingAStepChangesNothing) {
  const auto one_head = head();
  const auto other_head = head();
  HeadTraining one = training(*one_head, plan_);
  HeadTraining other = training(*other_head, plan_);
  const Result<double> step = other.seconds_of_step();
  ASSERT_TRUE(step);
  EXPECT_GT(*step, 0);
  ASSERT_TRUE(one.run({}));
  ASSERT_TRUE(other.run({}));
  EXPECT_EQ(one.state().parameters, other.state().parameters);
}

TEST_F(Training, ThreadsOfTheOptimiserChangeNothing) {
  std::vector<std::vector<float>> ends;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto trained = head();
    HeadTraining run(*trained, *data_, all(), {}, plan_, {}, pool);
    ASSERT_TRUE(run.run({}));
    ends.push_back(run.state().parameters);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_F(Training, ALossThatIsNoNumberEndsIt) {
  const auto broken = head();
  broken->parameters()[10] = std::numeric_limits<float>::quiet_NaN();
  HeadTraining run = training(*broken, plan_);
  const Result<void> ran = run.run({});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message(),
            "step 1: the loss is no longer finite; try a lower learning rate");
}

TEST_F(Training, ACheckpointBeyondTheEndIsAnError) {
  const auto whole_head = head();
  HeadTraining whole = training(*whole_head, plan_);
  ASSERT_TRUE(whole.run({}));
  TrainingPlan shorter = plan_;
  shorter.steps = 3;
  const auto other = head();
  EXPECT_FALSE(training(*other, shorter).resume(whole.state()));
}

}  // namespace
}  // namespace redraft
