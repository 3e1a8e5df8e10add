// The runtime of the emulated device: its memory is the program's, and work is done when it is
// queued.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/runtime.h"
#include "tests/cuda/emulated_device.h"

namespace redraft::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

Result<DeviceInfo> find_device() { return DeviceInfo{.name = "emulated", .major = 9}; }

void use_device() {}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (!data_) throw DeviceError("no memory");
  std::memset(data_, 0xff, bytes);  // NaN to who reads before writing
}
DeviceMemory::~DeviceMemory() { std::free(data_); }
DeviceQueue::DeviceQueue() = default;
DeviceQueue::~DeviceQueue() = default;
void DeviceQueue::copy_in(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void DeviceQueue::copy_out(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void DeviceQueue::copy_strips(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<std::uint8_t*>(to) + i * to_pitch,
                static_cast<const std::uint8_t*>(from) + i * from_pitch, bytes);
  }
}
void DeviceQueue::wait() {}

namespace {
using Recording = std::vector<std::function<void()>>;
}  // namespace

DeviceGraph::~DeviceGraph() { delete static_cast<Recording*>(handle_); }
DeviceGraph DeviceQueue::record(const std::function<void()>& record) {
  auto recording = std::make_unique<Recording>();
  emulator::record_to(recording.get());
  record();
  emulator::record_to(nullptr);
  DeviceGraph graph;
  graph.handle_ = recording.release();
  return graph;
}
void DeviceQueue::queue(const DeviceGraph& graph) {
  for (const auto& work : *static_cast<const Recording*>(graph.handle_)) work();
}

}  // namespace redraft::cuda
