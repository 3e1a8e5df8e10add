#include "workspace/engine/measure_when_idle.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/hang_limit.h"
#include "tests/kit/scripted_model.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

constexpr double kUnrest = 1e5;  // no measurement is worse

// An engine whose first curve is of a busy second; `keep` is told what follows it.
Result<std::unique_ptr<Engine>> busy_engine(
    std::function<void(const CostCurve&, CostChange)> keep) {
  const auto tokenizer = byte_tokenizer();
  LocalEngine::Model target{"t",
                            std::make_unique<ScriptedModel>(ScriptedModel::random(
                                1, {.vocabulary = tokenizer->vocabulary_size()})),
                            tokenizer};
  target.find_cost = [](LanguageModel&) {
    return CostCurve({{1, 0.010}, {11, 0.020}}, /*measured_here=*/true, kUnrest);
  };
  target.keep_cost = std::move(keep);
  return as_engine(LocalEngine::make(std::move(target), {}, {}));
}

TEST(MeasureWhenIdle, ACurveOfABusySecondIsMeasuredAgainWithoutARequest) {
  std::promise<CostCurve> kept;
  std::promise<void> used;
  int changes = 0;  // of the decode thread
  EngineHost host(
      [&](const LoadControl&) {
        return busy_engine([&](const CostCurve& curve, CostChange how) {
          EXPECT_EQ(how, CostChange::kMeasured);
          if (changes++ == 0) kept.set_value(curve);
        });
      },
      [](const std::function<void()>&) {});
  host.queue().add(
      [&](const DecodeQueue::Control&) {
        const Result<void> done =
            run_on_engine(host, "failed", [&](Engine& engine) -> Result<void> {
              engine.prepare();
              measure_when_idle(host, engine);
              EXPECT_FALSE(engine.ask_for_cost()) << "the measurement is arranged, once";
              return {};
            });
        EXPECT_TRUE(done);
        used.set_value();
      },
      Urgency::kWarmUp);
  ASSERT_EQ(used.get_future().wait_for(kHangLimit), std::future_status::ready);
  std::future<CostCurve> measured = kept.get_future();
  ASSERT_EQ(measured.wait_for(kHangLimit), std::future_status::ready);
  const CostCurve curve = measured.get();
  EXPECT_LT(curve.unrest(), kUnrest);
  EXPECT_GT(curve.points().size(), 2U);
}

}  // namespace
}  // namespace redraft
