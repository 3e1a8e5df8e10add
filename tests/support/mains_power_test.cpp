#include "support/files/mains_power.h"

#include <gtest/gtest.h>

#include <fstream>

namespace redraft {
namespace {

class MainsPower : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        (std::string("power_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void supply(const std::string& name, const std::string& type, const char* file,
              const std::string& value) {
    std::filesystem::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "type") << type << "\n";
    std::ofstream(folder_ / name / file) << value << "\n";
  }
  std::filesystem::path folder_;
};

TEST_F(MainsPower, IsAssumedWithoutABattery) {
  EXPECT_TRUE(on_mains_power(folder_));
  EXPECT_TRUE(on_mains_power(folder_ / "none"));
}

TEST_F(MainsPower, IsOffWhereABatteryDischarges) {
  supply("AC", "Mains", "online", "0");
  supply("BAT0", "Battery", "status", "Discharging");
  EXPECT_FALSE(on_mains_power(folder_));
  supply("BAT0", "Battery", "status", "Charging");
  EXPECT_TRUE(on_mains_power(folder_));
}

TEST_F(MainsPower, IsOnWhereAnAdapterIs) {
  supply("BAT0", "Battery", "status", "Discharging");  // another device's, or held at a limit
  supply("usb", "USB", "online", "1");
  EXPECT_TRUE(on_mains_power(folder_));
}

}  // namespace
}  // namespace redraft
