#include "cli/model_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace redraft::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// A machine as its firmware reports it.
Machine machine_of(double gibibytes, double bandwidth_gbps = 0) {
  Machine machine;
  machine.memory.total_bytes =
      static_cast<std::uint64_t>(gibibytes * static_cast<double>(kGibibyte));
  machine.bandwidth_gbps = bandwidth_gbps;
  return machine;
}

ModelOverview measured(const char* name, std::uint64_t pass_bytes, double seconds) {
  ModelOverview model{.name = name, .present = true, .file = {}, .bytes = pass_bytes};
  model.summary.pass_bytes = pass_bytes;
  model.speed = {seconds, SpeedBasis::kMeasured};
  return model;
}

std::string best_on(const Machine& machine, const std::vector<ModelOverview>& models = {}) {
  for (const Advice& advice : advice_for(models, machine))
    if (advice.is_best) return advice.model->name;
  return {};
}

const Advice& of(const std::vector<Advice>& all, std::string_view name) {
  return *std::ranges::find_if(all, [&](const Advice& each) { return each.model->name == name; });
}

TEST(ModelAdvice, FollowsTheMachinesMemory) {
  EXPECT_EQ(best_on(machine_of(2)), "");
  EXPECT_EQ(best_on(machine_of(6.0)), "Qwen2.5-Coder-1.5B");
  EXPECT_EQ(best_on(machine_of(7.5)), "Qwen3.5-4B");
  EXPECT_EQ(best_on(machine_of(15.2)), "Qwen3.5-9B");
  EXPECT_EQ(best_on(machine_of(31.0)), "Qwen3.6-35B-A3B");
  EXPECT_EQ(best_on(machine_of(125)), "Qwen3.6-35B-A3B");
}

TEST(ModelAdvice, EachModelFitsTheSmallestMachineThatItIsFor) {
  for (const AdvisedModel& model : advised_models()) {
    const auto all = advice_for({}, machine_of(0.925 * model.machine_gigabytes));
    EXPECT_TRUE(of(all, model.name).fits) << model.name;
    EXPECT_GT(of(all, model.name).memory_needed,
              static_cast<std::uint64_t>((model.file_gigabytes - model.disk_gigabytes) * 1e9) +
                  kGibibyte / 2)
        << model.name;
    const auto smaller = advice_for({}, machine_of(0.8 * model.machine_gigabytes));
    EXPECT_FALSE(of(smaller, model.name).fits) << model.name;
  }
}

TEST(ModelAdvice, ScalesMeasuredSpeedsByTheBytesThatAPassReads) {
  const std::vector<ModelOverview> models = {measured("m.gguf", 1'000'000'000, 0.05)};
  const auto all = advice_for(models, machine_of(31));
  const SpeedEstimate& dense = of(all, "Qwen2.5-Coder-7B").speed;
  EXPECT_EQ(dense.basis, SpeedBasis::kOtherModel);
  EXPECT_NEAR(dense.seconds_per_pass, 0.05 * 4.4, 1e-6);
  const SpeedEstimate& mixture = of(all, "Qwen3-Coder-30B-A3B").speed;
  EXPECT_NEAR(mixture.seconds_per_pass, 0.05 * 1.9, 1e-6) << "of its active experts alone";
  EXPECT_GT(of(all, "Qwen3.5-9B").speed.seconds_per_pass, 0.05 * 5.0) << "with its states";
}

TEST(ModelAdvice, SkipsModelsThatAreTooSlow) {
  const Machine machine = machine_of(15.2);
  EXPECT_EQ(best_on(machine, {measured("m.gguf", 1'000'000'000, 0.085)}), "gpt-oss-20b");
  EXPECT_EQ(best_on(machine, {measured("m.gguf", 1'000'000'000, 0.2)}), "Qwen2.5-Coder-1.5B");
  EXPECT_EQ(best_on(machine_of(15.2, 100)), "Qwen3.5-9B");
  EXPECT_EQ(best_on(machine_of(15.2, 15)), "gpt-oss-20b") << "reads less than the 9B";
}

TEST(ModelAdvice, SaysWhatItIsAndHowToGetIt) {
  const Machine machine = machine_of(15.2);
  const std::string best = best_advice(advice_for({}, machine));
  EXPECT_THAT(best, HasSubstr("`redraft models pull unsloth/Qwen3.5-9B-GGUF:Q4_K_M`"));
  EXPECT_THAT(best, HasSubstr("5.6 GB, Apache-2.0"));
  EXPECT_THAT(best, HasSubstr("never run"));
  EXPECT_THAT(best, HasSubstr("--completion-model qwen2.5-coder-1.5b"));
  const std::vector<ModelOverview> there = {measured("Qwen3.5-9B-Q4_K_M.gguf", 5'000'000'000, 0.2)};
  const std::string present = best_advice(advice_for(there, machine));
  EXPECT_THAT(present, HasSubstr("`--target Qwen3.5-9B-Q4_K_M.gguf`"));
  EXPECT_THAT(present, Not(HasSubstr("pull")));
  EXPECT_THAT(present, HasSubstr("about 5.0 tokens/s"));
  EXPECT_EQ(best_advice(advice_for({}, machine_of(2))), "");
}

TEST(ModelAdvice, DoesNotNameAFileThatDoesNotRun) {
  ModelOverview broken = measured("Qwen3.5-9B-Q4_K_M.gguf", 5'000'000'000, 0.2);
  broken.summary.why_not = "the file ends too early";
  const std::string best = best_advice(advice_for({broken}, machine_of(15.2)));
  EXPECT_THAT(best, HasSubstr("`redraft models pull unsloth/Qwen3.5-9B-GGUF:Q4_K_M`"));
  EXPECT_THAT(best, Not(HasSubstr("--target")));
}

TEST(ModelAdvice, ListsAllAndMarksTheDefault) {
  const Machine machine = machine_of(15.2);
  std::string text;
  for (const std::string& line : advice_lines(advice_for({}, machine), machine))
    text += line + "\n";
  EXPECT_THAT(text, HasSubstr("this machine has 15.2 GiB"));
  EXPECT_THAT(text, HasSubstr("`redraft models pull qwen2.5-coder-1.5b` (the default; no account"));
  EXPECT_THAT(text, HasSubstr("Qwen3.5-9B  <- for edits on this machine"));
  EXPECT_THAT(text, HasSubstr("from 32 GB: Qwen3.6-35B-A3B  (too large here)"));
}

}  // namespace
}  // namespace redraft::cli
