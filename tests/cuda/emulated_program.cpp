// Sets up the emulated device of `redraft_emulated_gpu` from the environment of its tests.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>

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
  // A thread of the driver that writes its process's number into the file, again and again.
  if (const char* file = std::getenv("REDRAFT_EMULATED_GPU_WRITES")) {
    device().when_found = [path = std::string(file)] {
      static const std::jthread kWriter([path](const std::stop_token& stop) {
        for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(5)))
          std::ofstream(path, std::ios::app) << ::getpid() << std::endl;
      });
      while (!std::filesystem::exists(path))  // by the child that looks for a GPU
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
  }
  // The device is lost once this file exists.
  if (const char* file = std::getenv("REDRAFT_EMULATED_GPU_LOST_FILE"))
    device().lost = [path = std::filesystem::path(file)] { return std::filesystem::exists(path); };
  return true;
}();

}  // namespace
}  // namespace redraft::cuda::emulator
