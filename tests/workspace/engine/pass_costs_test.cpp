#include "workspace/engine/pass_costs.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

// The seconds of a pass on this machine, as long as nothing else runs there.
double true_seconds(int rows) { return 0.030 + 0.004 * (rows - 1); }

// A machine with a clock of its own. While it is busy, passes take twice as long, now one more and
// now another.
class Machine : public ScriptedModel {
 public:
  Machine() : ScriptedModel(ScriptedModel::random(1, {.context_length = 512})) {}
  double compute_seconds() const override { return clock_; }
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    const double load = busy ? 1.5 + 0.5 * (passes_ % 3) : 1;
    ++passes_;
    clock_ += load * true_seconds(static_cast<int>(context.size()) + draft.size());
    return ScriptedModel::forward(context, draft, cache, needs);
  }
  int passes() const { return passes_; }
  bool busy = false;

 private:
  int passes_ = 0;
  double clock_ = 0;
};

struct Kept {
  CostCurve curve;
  CostChange how;
};

// A PassCosts whose first curve was measured by a machine, and what it kept since.
class PassCostsTest : public testing::Test {
 protected:
  void measure_first(bool busy) {
    machine_.busy = busy;
    costs_.curve(machine_);
    machine_.busy = false;
  }
  // Passes as an edit makes them, `times` times as slow as on the quiet machine.
  void decode(int passes, double times = 1) {
    costs_.correct();
    for (int pass = 0; pass < passes; ++pass) {
      const int rows = 1 + pass % 9;
      costs_.measured(rows, 0, times * true_seconds(rows));
    }
    costs_.correct();
  }
  double off_by(int rows) { return costs_.curve(machine_).seconds(rows) / true_seconds(rows); }

  Machine machine_;
  std::vector<Kept> kept_;
  PassCosts costs_{{},
                   [this](const CostCurve& curve, CostChange how) {
                     kept_.push_back({curve, how});
                   },
                   [this] { return machine_.compute_seconds(); }};
};

TEST_F(PassCostsTest, ACurveOfABusySecondIsMeasuredAgainInAQuietOne) {
  measure_first(/*busy=*/true);
  EXPECT_GT(off_by(4), 1.4);
  EXPECT_TRUE(costs_.wants_measurement());
  costs_.measure_again(machine_, {});
  EXPECT_FALSE(costs_.wants_measurement());
  for (const int rows : {1, 4, 8, 16, 32}) EXPECT_NEAR(off_by(rows), 1, 1e-6) << rows;
  ASSERT_EQ(kept_.size(), 1U);
  EXPECT_EQ(kept_[0].how, CostChange::kMeasured);
  EXPECT_TRUE(kept_[0].curve.quiet());
}

TEST_F(PassCostsTest, ACurveWithWhichAHundredPassesDisagreeIsThrownAway) {
  measure_first(/*busy=*/true);
  decode(99);
  EXPECT_TRUE(kept_.empty());
  decode(1);
  ASSERT_EQ(kept_.size(), 1U);
  EXPECT_EQ(kept_[0].how, CostChange::kThrownAway);
  EXPECT_FALSE(kept_[0].curve.quiet());  // whoever finds it measures again
  // Two factors cannot straighten a curve whose points were not all equally disturbed.
  for (const int rows : {1, 4, 9}) EXPECT_NEAR(off_by(rows), 1, 0.25) << rows;
  EXPECT_TRUE(costs_.wants_measurement());
  costs_.measure_again(machine_, {});
  EXPECT_NEAR(off_by(32), 1, 1e-6);
  decode(200);
  EXPECT_EQ(kept_.size(), 2U);
}

// A machine that is a little slower today: nothing moves here, and the next start begins with that.
TEST_F(PassCostsTest, ASmallCorrectionIsKeptForTheNextStart) {
  measure_first(/*busy=*/false);
  decode(100, 1.15);
  ASSERT_EQ(kept_.size(), 1U);
  EXPECT_EQ(kept_[0].how, CostChange::kCorrected);
  EXPECT_NEAR(kept_[0].curve.seconds(8) / true_seconds(8), 1.15, 0.01);
  EXPECT_NEAR(off_by(8), 1, 1e-6);
  decode(99, 1.15);
  EXPECT_EQ(kept_.size(), 1U);  // once in a hundred passes
  decode(101, 1.02);
  EXPECT_EQ(kept_.size(), 1U);  // too little to tell
}

TEST_F(PassCostsTest, StopsMeasuringAMachineThatIsNeverQuiet) {
  measure_first(/*busy=*/true);
  machine_.busy = true;
  int measured = 0;
  for (; costs_.ask_for_measurement(); ++measured) {
    EXPECT_FALSE(costs_.ask_for_measurement());  // somebody has arranged for it
    ASSERT_LT(measured, 10);
    costs_.measure_again(machine_, {});
  }
  EXPECT_EQ(measured, 3);
}

TEST_F(PassCostsTest, AnInterruptedMeasurementChangesNothingAndIsTriedAgain) {
  measure_first(/*busy=*/true);
  const double before = off_by(4);
  int passes = 3;
  costs_.measure_again(machine_, [&passes] { return passes-- > 0; });
  EXPECT_EQ(off_by(4), before);
  EXPECT_TRUE(kept_.empty());
  EXPECT_TRUE(costs_.ask_for_measurement());
}

// A curve that is pinned (nothing to keep it) or was given in plain passes is what was meant.
TEST(PassCosts, ACurveThatIsPinnedOrGivenStays) {
  const std::vector<CostCurve::Point> points = {{1, 5.0}, {8, 6.0}};
  int kept = 0;
  PassCosts pinned([&](LanguageModel&) { return CostCurve(points, true, /*unrest=*/9); }, {});
  PassCosts given([&](LanguageModel&) { return CostCurve(points, false, 9); },
                  [&kept](const CostCurve&, CostChange) { ++kept; });
  Machine machine;
  for (PassCosts* costs : {&pinned, &given}) {
    costs->curve(machine);
    for (int pass = 0; pass < 300; ++pass) {
      costs->measured(1 + pass % 9, 0, true_seconds(1 + pass % 9));
      costs->correct();
    }
    EXPECT_FALSE(costs->ask_for_measurement());
    costs->measure_again(machine, {});
    EXPECT_EQ(costs->curve(machine).points(), points);
  }
  EXPECT_EQ(kept, 0);
  EXPECT_EQ(machine.passes(), 0);
}

}  // namespace
}  // namespace redraft
