#include "cli/common/device_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft::cli {
namespace {

TEST(DeviceChoice, ReadsTheTextThatItShows) {
  for (const char* text : {"auto", "cpu", "cuda"}) {
    const Result<DeviceChoice> choice = DeviceChoice::parse(text);
    ASSERT_TRUE(choice) << choice.error().message();
    EXPECT_EQ(choice->text(), text);
    EXPECT_EQ(choice->is_auto(), text == std::string("auto"));
  }
  EXPECT_EQ(DeviceChoice::parse("cuda")->named(), Device::cuda());
  EXPECT_FALSE(DeviceChoice::parse("tpu"));
}

}  // namespace
}  // namespace redraft::cli
