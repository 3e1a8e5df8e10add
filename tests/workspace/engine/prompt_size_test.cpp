#include "workspace/engine/prompt_size.h"

#include <gtest/gtest.h>

#include "tests/kit/edit_script.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

TEST(PromptSize, HasANameThatIsRead) {
  for (const PromptSize size : kPromptSizes) EXPECT_EQ(parse_prompt_size(to_string(size)), size);
  EXPECT_EQ(parse_prompt_size("auto"), std::nullopt);
  EXPECT_EQ(parse_prompt_size(""), std::nullopt);
}

TEST(PromptSize, OfAMachineFollowsFromWhatItReads) {
  EXPECT_EQ(prompt_size_for(0), PromptSize::kSmall);
  EXPECT_EQ(prompt_size_for(66), PromptSize::kSmall);
  EXPECT_EQ(prompt_size_for(159), PromptSize::kSmall);
  EXPECT_EQ(prompt_size_for(160), PromptSize::kMedium);
  EXPECT_EQ(prompt_size_for(511), PromptSize::kMedium);
  EXPECT_EQ(prompt_size_for(512), PromptSize::kLarge);
  EXPECT_EQ(prompt_size_for(20'000), PromptSize::kHuge);
}

std::unique_ptr<LocalEngine> engine_with(double pass_cost) {
  return *make_scripted_engine({.edits = {}, .pass_cost = pass_cost});
}

TEST(PromptSize, OfAnEngineIsTheOneThatARequestNames) {
  const std::unique_ptr<LocalEngine> engine = engine_with(1);
  EXPECT_EQ(engine->prompt_size(PromptSize::kHuge), PromptSize::kHuge);
  EXPECT_EQ(engine->chosen_prompt_size(), std::nullopt) << "no choice was needed";
}

TEST(PromptSize, OfAnEngineIsChosenOnce) {
  const std::unique_ptr<LocalEngine> fast = engine_with(1);
  EXPECT_EQ(fast->prompt_size(), PromptSize::kLarge) << "876 tokens a second";
  EXPECT_EQ(engine_with(100)->prompt_size(), PromptSize::kSmall);
  fast->set_prompt_size(PromptSize::kSmall);
  EXPECT_EQ(fast->prompt_size(), PromptSize::kSmall);
}

TEST(PromptSize, OfAHostIsTheSameForEachEngineOfIt) {
  using Factory = EngineHost::Factory;
  Factory factory([](const LoadControl&) { return as_engine(engine_with(1)); });
  const auto own = std::make_shared<const Factory>(
      [](const LoadControl&) { return as_engine(engine_with(100)); });
  factory.own[Purpose::kCompletion] = factory.own[Purpose::kNextEdit] = own;
  EXPECT_FALSE(factory.prompt_size);

  const Factory fixed = with_prompt_size(factory, PromptSize::kMedium);
  EXPECT_EQ((*fixed.make({}))->prompt_size(), PromptSize::kMedium);
  EXPECT_EQ(fixed.prompt_size(), PromptSize::kMedium);
  const std::shared_ptr<const Factory>& completions = fixed.own[Purpose::kCompletion];
  EXPECT_EQ((*completions->make({}))->prompt_size(), PromptSize::kMedium);
  EXPECT_EQ(completions, fixed.own[Purpose::kNextEdit]) << "they share a model";
}

}  // namespace
}  // namespace redraft
