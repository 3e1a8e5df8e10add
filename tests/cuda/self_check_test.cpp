// A GPU that does not compute what its kernels are meant to is detected: on the emulated device.
#include "cuda/self_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cuda/device_model.h"
#include "tests/cuda/emulated_device.h"

namespace redraft::cuda {
namespace {

using testing::HasSubstr;

class CudaSelfCheck : public DeviceModelTest {
 protected:
  void TearDown() override { emulator::device() = {}; }
};

TEST_F(CudaSelfCheck, FindsWhatIsWrongAndNothingElse) {
  for (const char* architecture : {"qwen2", "llama"}) {
    const auto files = files_of(small_model(architecture).writer());
    auto model = load_transformer(files, pool_);
    ASSERT_TRUE(model);
    emulator::device().flaw = emulator::Flaw::kNone;
    const Result<void> sound = self_check(*files, **model);
    EXPECT_TRUE(sound) << sound.error().message();
    emulator::device().flaw = emulator::Flaw::kProducts;
    EXPECT_THAT(self_check(*files, **model).error().message(), HasSubstr("of the reference"));
    emulator::device().flaw = emulator::Flaw::kNeighbours;
    EXPECT_THAT(self_check(*files, **model).error().message(), HasSubstr("beside it"));
  }
}

}  // namespace
}  // namespace redraft::cuda
