#include "decoding/device.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

TEST(Device, ReadsTheTextThatItShows) {
  for (const Device& device : {Device::cpu(), Device::cuda()}) {
    const Result<Device> read = Device::parse(device.text());
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, device);
  }
  EXPECT_EQ(Device::cpu().text(), "cpu");
  EXPECT_EQ(Device::cuda().text(), "cuda");
}

TEST(Device, RejectsOtherTexts) {
  for (const char* text : {"", "CPU", "cuda:0", "auto", "https://gpu"}) {
    const Result<Device> read = Device::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message(),
              "there is no device '" + std::string(text) + "'. Use cpu or cuda");
  }
}

TEST(Device, IsAServerByItsAddress) {
  EXPECT_EQ(Device::server("https://gpu").text(), "https://gpu");
  EXPECT_EQ(Device::server("https://gpu"), Device::server("https://gpu"));
  EXPECT_NE(Device::server("https://gpu"), Device::server("https://other"));
  EXPECT_NE(Device::server("cpu"), Device::cpu()) << "a host of that name is not this machine";
}

}  // namespace
}  // namespace redraft
