#include "bench/cost_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "bench/cost_table.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

using testing::HasSubstr;

constexpr std::size_t kSmallBuffer = std::size_t{4} << 20;

// A pass takes ten milliseconds, two more for each row, and says that it is all attention. It wakes
// up later than it should where the machine is busy, but by less than that.
class SlowModel : public ScriptedModel, public PassMeasuring {
 public:
  explicit SlowModel(int context_length = 1024)
      : ScriptedModel(ScriptedModel::random(1, {.context_length = context_length})) {}
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    if (profile_) profile_->begin_pass();
    const auto rows = static_cast<int>(context.size()) + draft.size();
    if (needs.every_row) std::this_thread::sleep_for(std::chrono::milliseconds(10 + 2 * rows));
    if (profile_) profile_->charge(PassPart::kAttention);
    return ScriptedModel::forward(context, draft, cache, needs);
  }
  PassMeasuring* measuring() override { return this; }
  void set_profile(PassProfile* profile) override { profile_ = profile; }
  PassWork work(int rows, int context) const override {
    return {.bytes = 1e6 + context, .integer_macs = {1e6 * rows}, .float_macs = 10.0 * context};
  }

 private:
  PassProfile* profile_ = nullptr;
};

CostReport measure(SlowModel& model, const CostPlan& plan) {
  ThreadPool pool(1);
  kernels::PeakProbe probe(kernels::best_isa(), pool, kSmallBuffer);
  return measure_cost(model, probe, plan, {}, {});
}

TEST(CostBench, MeasuresEveryPointAgainstOneRow) {
  SlowModel model;
  const CostReport report =
      measure(model, {.rows = {1, 4, 16}, .contexts = {0, 100}, .samples = 5, .time_limit = 5});
  ASSERT_EQ(report.points.size(), 6U);
  EXPECT_FALSE(report.interrupted);
  for (const CostPoint& point : report.points) {
    EXPECT_GE(point.seconds, 0.01 + 0.002 * point.rows);
    EXPECT_GE(point.samples, 1);
    EXPECT_GT(point.roofline_fraction, 0);
    EXPECT_DOUBLE_EQ(point.shares[static_cast<int>(PassPart::kAttention)], 1);
    EXPECT_GE(point.ratio, point.rows == 1 ? 1 : 1.01);
  }
  EXPECT_EQ(report.points[3].context, 100);
  ASSERT_EQ(report.lines.size(), 2U);
  EXPECT_GT(report.lines[0].bound(), 1);
  EXPECT_EQ(report.curve().points().size(), 6U);
}

TEST(CostBench, OneRowIsMeasuredThoughNobodyAsked) {
  SlowModel model;
  const CostReport report =
      measure(model, {.rows = {8}, .contexts = {0}, .samples = 1, .time_limit = 5});
  ASSERT_EQ(report.points.size(), 1U);
  EXPECT_EQ(report.points[0].rows, 8);
  EXPECT_GT(report.points[0].ratio, 1);
}

TEST(CostBench, OneRowAloneHasNoBound) {
  SlowModel model;
  const CostReport report =
      measure(model, {.rows = {1}, .contexts = {0}, .samples = 1, .time_limit = 5});
  ASSERT_EQ(report.points.size(), 1U);
  EXPECT_TRUE(report.lines.empty());
}

TEST(CostBench, EndsAtTheTimeLimitWithOneSampleOfEach) {
  SlowModel model;
  const auto start = std::chrono::steady_clock::now();
  const CostReport report =
      measure(model, {.rows = {1, 2}, .contexts = {0}, .samples = 1 << 20, .time_limit = 0.3});
  EXPECT_EQ(report.points.size(), 2U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(CostBench, ARequestToStopEndsItWithoutAReport) {
  SlowModel model;
  ThreadPool pool(1);
  kernels::PeakProbe probe(kernels::best_isa(), pool, kSmallBuffer);
  std::stop_source stop;
  const CostReport report = measure_cost(
      model, probe, {.rows = {1, 2}, .contexts = {0}, .samples = 1 << 20},
      [&](const CostProgress& progress) {
        EXPECT_GE(progress.done, 0);
        EXPECT_LE(progress.done, 1);
        EXPECT_GE(progress.seconds_left, 0);
        stop.request_stop();
      },
      stop.get_token());
  EXPECT_TRUE(report.interrupted);
  EXPECT_TRUE(report.points.empty());
}

TEST(Roofline, IsTheLongerOfReadingAndMultiplying) {
  const kernels::MachinePeak peak{.int8_gmacs = {200, 100, 100, 50},
                                  .bandwidth_gbps = 20,
                                  .f32_gmacs = 50,
                                  .bf16_gmacs = 100,
                                  .int16_gmacs = 100};
  EXPECT_DOUBLE_EQ(roofline_seconds({.bytes = 1e9, .integer_macs = {1e9}}, peak), 0.05);
  EXPECT_DOUBLE_EQ(roofline_seconds({.bytes = 1e9, .integer_macs = {20e9}}, peak), 0.1);
  EXPECT_DOUBLE_EQ(roofline_seconds({.bytes = 1e9, .integer_macs = {10e9, 1e9, 2e9, 1e9}}, peak),
                   0.1);
  EXPECT_DOUBLE_EQ(roofline_seconds({.bytes = 0, .integer_macs = {20e9}, .float_macs = 10e9}, peak),
                   0.2);  // floats at half the rate of bytes
}

CostReport sample_report(bool quiet) {
  CostReport report;
  report.peak = {.int8_gmacs = {229, 200, 180, 150},
                 .bandwidth_gbps = 21.3,
                 .f32_gmacs = 57,
                 .bf16_gmacs = 114,
                 .int16_gmacs = 114};
  for (const int context : {0, 4096}) {
    for (const int rows : {1, 4096}) {
      CostPoint point{.rows = rows, .context = context, .seconds = 0.0123456 * rows};
      point.quiet = quiet;
      point.ratio = rows;
      point.roofline_fraction = 0.5;
      point.shares.fill(1.0 / kPassParts);
      report.points.push_back(point);
    }
    report.lines.push_back({context, 0.025, 0.005});
  }
  return report;
}

TEST(CostReport, TellsAPointBeyondThePeak) {
  CostReport report = sample_report(true);
  EXPECT_EQ(report.beyond_the_peak(), nullptr);
  report.points[1].roofline_fraction = 1.1;
  report.points[1].work.bytes = 1e6;  // may come from a cache
  EXPECT_EQ(report.beyond_the_peak(), nullptr);
  report.points[1].work.bytes = 1e9;
  EXPECT_EQ(report.beyond_the_peak(), &report.points[1]);
  report.points[1].quiet = false;  // the peak may have been lower in that moment
  EXPECT_EQ(report.beyond_the_peak(), nullptr);
  report.points[2].linears_fraction = 1.01;
  EXPECT_EQ(report.beyond_the_peak(), &report.points[2]);
}

TEST(CostReport, ThePeakIsOfTheMix) {
  CostReport report = sample_report(true);
  EXPECT_DOUBLE_EQ(report.mixed_gmacs(), 229);  // nothing is known of the model
  report.points[0].work.integer_macs = {100e9, 0, 100e9, 0};
  EXPECT_NEAR(report.mixed_gmacs(), 2 / (1 / 229.0 + 1 / 180.0), 1e-9);
}

TEST(CostTable, IsAlignedWithinAHundredColumns) {
  const CostTitle title{"qwen2.5-coder-1.5b", "AMD EPYC 9R14 Processor", "avx512-vnni", 2};
  std::istringstream lines(cost_table(title, sample_report(true)));
  std::vector<std::size_t> widths;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
    if (line.find("rows/s") != std::string::npos || line.find(" % ") != std::string::npos) {
      widths.push_back(line.size());
    }
  }
  ASSERT_EQ(widths.size(), 6U);
  EXPECT_THAT(widths, testing::Each(widths.front()));
}

TEST(CostTable, SaysTheBoundAndWhenTheMachineWasBusy) {
  const CostTitle title{"m", "a machine", "beads", 1};
  const std::string quiet = cost_table(title, sample_report(true));
  EXPECT_THAT(quiet, HasSubstr("bound B = 5.0"));
  EXPECT_EQ(quiet.find('~'), std::string::npos);
  EXPECT_THAT(cost_table(title, sample_report(false)), HasSubstr("~ the machine was never quiet"));
}

}  // namespace
}  // namespace redraft
