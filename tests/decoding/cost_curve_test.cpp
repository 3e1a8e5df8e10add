#include "decoding/cost_curve.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

TEST(CostCurve, InterpolatesAndExtrapolates) {
  const CostCurve curve({{1, 1.0}, {4, 1.3}, {8, 2.1}});
  EXPECT_DOUBLE_EQ(curve.seconds(1), 1.0);
  EXPECT_DOUBLE_EQ(curve.seconds(2), 1.1);
  EXPECT_DOUBLE_EQ(curve.seconds(8), 2.1);
  EXPECT_NEAR(curve.seconds(16), 3.7, 1e-12);
}

TEST(CostCurve, BeyondTheLastPointRowsAreNotFreeBecauseTwoPointsAreLevel) {
  EXPECT_DOUBLE_EQ(CostCurve({{1, 1.0}, {8, 2.4}, {16, 2.5}, {17, 2.5}}).seconds(33), 4.0);
}

TEST(CostCurve, WithoutAMeasurementRowsAreFree) {
  const CostCurve curve;
  EXPECT_EQ(curve.seconds(1), curve.seconds(1000));
  EXPECT_EQ(curve.efficient_rows(256), 233);  // within a tenth of the cost per row at 256
}

TEST(CostCurve, OnePointIsAPricePerRow) {
  const CostCurve curve({{1, 0.5}});
  EXPECT_DOUBLE_EQ(curve.seconds(6), 3.0);
  EXPECT_EQ(curve.efficient_rows(256), 1);
  EXPECT_EQ(curve.tokens_read_in(100.0, 1000), 200);
  EXPECT_EQ(curve.tokens_read_in(100.0, 150), 150);
}

TEST(CostCurve, FindsWhereLargerPassesGainLittle) {
  const CostCurve curve({{1, 1.0}, {4, 1.15}, {8, 1.35}, {16, 2.5}, {32, 4.9}, {64, 9.7}});
  const int rows = curve.efficient_rows(256);
  EXPECT_GE(rows, 8);
  EXPECT_LE(rows, 20);
  EXPECT_EQ(curve.rows_within(5.0, 1, 256), 32);
  EXPECT_EQ(curve.rows_within(0.1, 32, 256), 32);
}

TEST(CostCurve, InterpolatesBetweenContextsAndExtrapolatesBeyondTheLast) {
  const CostCurve curve({{1, 1.0}, {5, 2.0}, {1, 2.0, 1000}, {5, 5.0, 1000}});
  EXPECT_DOUBLE_EQ(curve.seconds(1, 0), 1.0);
  EXPECT_DOUBLE_EQ(curve.seconds(1, 500), 1.5);
  EXPECT_DOUBLE_EQ(curve.seconds(3, 1000), 3.5);
  EXPECT_DOUBLE_EQ(curve.seconds(5, 3000), 11.0);
  EXPECT_EQ(curve.rows_within(4.0, 1, 64, 0), 8);
  EXPECT_EQ(curve.rows_within(4.0, 1, 64, 1000), 2);
  EXPECT_GT(curve.efficient_rows(64, 0.1, 0), 1);
}

TEST(CostCurve, TakesPointsInAnyOrderAndOneOfEachKind) {
  const CostCurve curve({{8, 2.0}, {1, 3.0, 100}, {1, 1.0}, {8, 1.5}});
  ASSERT_EQ(curve.points().size(), 3U);
  EXPECT_EQ(curve.points()[1].rows, 8);
  EXPECT_DOUBLE_EQ(curve.points()[1].seconds, 1.5);
  EXPECT_EQ(curve.points()[2].context, 100);
}

TEST(CostCurve, MoreRowsOrMoreContextNeverCostLess) {
  const CostCurve curve({{1, 3.0}, {4, 1.0}, {8, 2.0}, {1, 0.5, 100}, {8, 9.0, 100}});
  double last = 0;
  for (int rows = 1; rows < 20; ++rows) {
    EXPECT_GE(curve.seconds(rows), last);
    last = curve.seconds(rows);
    for (int context = 0; context < 300; context += 50) {
      EXPECT_GE(curve.seconds(rows, context + 50), curve.seconds(rows, context));
    }
  }
}

// A model whose pass takes a fixed time and one for every row, by its own clock.
class SlowModel : public ScriptedModel {
 public:
  SlowModel() : ScriptedModel(ScriptedModel::random(1, {})) {}
  double compute_seconds() const override { return clock_; }
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    const auto rows = static_cast<int>(context.size()) + draft.size();
    clock_ += 0.0005 + 0.0002 * rows;
    return ScriptedModel::forward(context, draft, cache, needs);
  }

 private:
  double clock_ = 0;
};

TEST(CostCurve, MeasuresAModelFromOneRowUp) {
  SlowModel model;
  const CostCurve curve = CostCurve::measure(model);
  ASSERT_GE(curve.points().size(), 2U);
  EXPECT_EQ(curve.points().front().rows, 1);
  for (const CostCurve::Point& point : curve.points()) {
    EXPECT_NEAR(point.seconds, 0.0005 + 0.0002 * point.rows, 1e-9);
    EXPECT_GE(curve.seconds(point.rows, point.context), point.seconds);
  }
  EXPECT_NEAR(curve.seconds(32), 0.0069, 1e-9);
  EXPECT_GT(curve.points().back().context, 1000);
}

// Each pass of the `slow` ones takes three times as long by the model's clock.
class DisturbedModel : public SlowModel {
 public:
  explicit DisturbedModel(std::set<int> slow) : slow_(std::move(slow)) {}
  double compute_seconds() const override { return SlowModel::compute_seconds() + lost_; }
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    const double before = SlowModel::compute_seconds();
    Predictions predictions = SlowModel::forward(context, draft, cache, needs);
    if (slow_.contains(pass_++)) lost_ += 2 * (SlowModel::compute_seconds() - before);
    return predictions;
  }

 private:
  std::set<int> slow_;
  int pass_ = 0;
  double lost_ = 0;
};

TEST(CostCurve, SaysHowBusyTheMachineWas) {
  // The first pass is not timed; then follow three rounds of 1, 4, 8 and 16 rows.
  const auto measure = [](LanguageModel& model, double wall) {
    return CostCurve::measure(
        model, {.wall_clock = [&model, wall] { return wall * model.compute_seconds(); }});
  };
  DisturbedModel never({});
  EXPECT_TRUE(measure(never, 1).quiet());
  DisturbedModel once({6});  // one timing of three: the others still agree
  EXPECT_TRUE(measure(once, 1).quiet());
  DisturbedModel twice({2, 6});
  const CostCurve spread = measure(twice, 1);
  EXPECT_FALSE(spread.quiet());
  EXPECT_NEAR(spread.unrest(), 2, 1e-6);
  // Other programs had the processor two thirds of the time, as the wall clock tells.
  SlowModel waiting;
  const CostCurve waited = measure(waiting, 3);
  EXPECT_NEAR(waited.unrest(), 2, 1e-6);
  EXPECT_FALSE(waited.quiet());
}

TEST(CostCurve, AMeasurementThatIsEndedIsNone) {
  for (int passes = 0; passes < 12; ++passes) {
    SlowModel model;
    int left = passes;
    const CostCurve curve = CostCurve::measure(model, {.go_on = [&left] { return left-- > 0; }});
    EXPECT_TRUE(curve.points().empty()) << passes;
  }
}

// Work that runs between two passes, by the same clock, is neither timed nor does it use up the
// time for the measurement.
TEST(CostCurve, OtherWorkBetweenPassesDoesNotCount) {
  SlowModel model;
  const auto cache = model.new_cache(8);
  const std::vector<TokenId> token{1};
  const auto work = [&] {
    for (int i = 0; i < 500; ++i) {
      model.forward(token, DraftTree(), *cache, PredictionNeeds{});
      cache->truncate(0);
    }
    return true;
  };
  const CostCurve disturbed = CostCurve::measure(model, {.go_on = work});
  SlowModel alone;
  const CostCurve quiet = CostCurve::measure(alone);
  ASSERT_EQ(disturbed.points().size(), quiet.points().size());
  for (std::size_t i = 0; i < quiet.points().size(); ++i)
    EXPECT_NEAR(disturbed.points()[i].seconds, quiet.points()[i].seconds, 1e-9);
}

TEST(CostCurve, IsScaledByItsFirstAndItsFurtherRows) {
  const CostCurve curve({{1, 1.0}, {5, 2.0}, {1, 2.0, 1000}, {5, 5.0, 1000}}, true, 0.1);
  const CostCurve scaled = curve.scaled(0.5, 2);
  EXPECT_DOUBLE_EQ(scaled.seconds(1), 0.5);
  EXPECT_DOUBLE_EQ(scaled.seconds(5), 2.5);
  EXPECT_DOUBLE_EQ(scaled.seconds(5, 1000), 7);
  EXPECT_TRUE(scaled.measured_here());
  EXPECT_EQ(scaled.unrest(), 0.1);
}

TEST(CostCurve, ReadsPointsAndNamesWhatIsNone) {
  const auto points = CostCurve::parse_points("1:0.5,8:2", 0.1);
  ASSERT_TRUE(points) << points.error().message();
  ASSERT_EQ(points->size(), 2U);
  EXPECT_EQ((*points)[1].rows, 8);
  EXPECT_DOUBLE_EQ((*points)[1].seconds, 0.2);
  for (const char* wrong : {"", "1", "1:", "0:1", "1.5:2", "1:-1", "1:1,,2:2", "1:1,x:2", "1:nan"})
    EXPECT_FALSE(CostCurve::parse_points(wrong)) << wrong;
}

TEST(CostCurve, MeasuresAModelWithAShortContext) {
  ScriptedModel model = ScriptedModel::random(1, {.context_length = 4});
  EXPECT_FALSE(CostCurve::measure(model).points().empty());
}

}  // namespace
}  // namespace redraft
