#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common/command.h"
#include "cli/common/device.h"

namespace redraft::cli {
namespace {

TEST(DeviceOption, IsTheNamedDeviceWhetherItIsThereOrNot) {
  EXPECT_EQ(chosen_device(DeviceChoice(Device::cpu())), Device::cpu());
  EXPECT_EQ(chosen_device(DeviceChoice(Device::cuda())), Device::cuda());
}

TEST(DeviceOption, IsOnTheGpuOnlyIfThereIsOne) {
  const bool has_gpu = static_cast<bool>(check_device(Device::cuda()));
  EXPECT_EQ(chosen_device(DeviceChoice::automatic()), has_gpu ? Device::cuda() : Device::cpu());
}

// What a command with this --device runs on; empty if it rejects the command line.
std::string chosen(const std::string& arguments, void (*add_options)(CommandLine, CommonOptions&)) {
  CLI::App app;
  CommonOptions options;
  add_options(CommandLine(&app), options);
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError&) {
    return {};
  }
  return options.device.text();
}

TEST(DeviceOption, OnlyAServerTakesAuto) {
  EXPECT_EQ(chosen("", add_target_options), "cpu");
  EXPECT_EQ(chosen("--device cuda", add_target_options), "cuda");
  EXPECT_EQ(chosen("--device auto", add_target_options), "");
  EXPECT_EQ(chosen("", add_server_options), "auto");
  EXPECT_EQ(chosen("--device auto", add_server_options), "auto");
  EXPECT_EQ(chosen("--device cpu", add_server_options), "cpu");
  EXPECT_EQ(chosen("--device tpu", add_server_options), "");
}

}  // namespace
}  // namespace redraft::cli
