// Sets up the emulated device of `redraft_emulated_gpu` from the environment of its tests.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/cuda/emulated_device.h"

namespace redraft::cuda::emulator {
namespace {

const bool kConfigured = [] {
  if (const char* there = std::getenv("REDRAFT_EMULATED_GPU_THERE"))
    device().there = std::string(there) == "1";
  if (const char* bytes = std::getenv("REDRAFT_EMULATED_GPU_BYTES"))
    device().memory_bytes = std::stoull(bytes);
  if (const char* flaw = std::getenv("REDRAFT_EMULATED_GPU_FLAW"))
    device().flaw = std::string(flaw) == "products" ? Flaw::kProducts : Flaw::kNeighbours;
  // The device is lost once this file exists.
  if (const char* file = std::getenv("REDRAFT_EMULATED_GPU_LOST_FILE"))
    device().lost = [path = std::filesystem::path(file)] { return std::filesystem::exists(path); };
  return true;
}();

}  // namespace
}  // namespace redraft::cuda::emulator
