// Runs tests on the GPU of this machine. Exit code 77: there is none.
#include <gtest/gtest.h>

#include <cstdio>

#include "cuda/runtime.h"

int main(int argc, char** argv) {
  constexpr int kNoDevice = 77;
  testing::InitGoogleTest(&argc, argv);
  const auto device = redraft::cuda::find_device();
  if (!device) {
    std::printf("skipped: %s\n", device.error().message().c_str());
    return kNoDevice;
  }
  return RUN_ALL_TESTS();
}
