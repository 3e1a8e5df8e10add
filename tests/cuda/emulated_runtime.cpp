// The runtime of the emulated device: its memory is the program's, and work is done when it is
// queued.
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cuda/runtime.h"
#include "tests/cuda/emulated_device.h"

namespace redraft::cuda {
namespace emulator {
namespace {

std::atomic<std::size_t> used = 0;

// One range of pages whose parts are handed out and never taken back: enough for a test or two.
class GuardedMemory {
 public:
  static GuardedMemory& instance() {
    static GuardedMemory memory;
    return memory;
  }
  void* allocate(std::size_t bytes) {
    if (!pages_) {
      pages_ = static_cast<std::uint8_t*>(
          mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    }
    if (pages_ == MAP_FAILED || kBytes - taken_ < bytes) throw DeviceMemoryError("no memory");
    return pages_ + std::exchange(taken_, (taken_ + bytes + 255) / 256 * 256);
  }
  bool owns(const void* data) const { return pages_ && data >= pages_ && data < pages_ + kBytes; }
  void open() {
    if (++open_ == 1) protect(PROT_READ | PROT_WRITE);
  }
  void close() {
    if (--open_ == 0) protect(PROT_NONE);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 30;
  void protect(int rights) {
    if (pages_) mprotect(pages_, kBytes, rights);
  }

  std::uint8_t* pages_ = nullptr;
  std::size_t taken_ = 0;
  int open_ = 0;
};

void check() {
  if (device().lost()) throw DeviceError("the GPU failed (emulated): it was lost");
}

// Checks that a copy is not part of a recording.
void check_copy() {
  check();
  if (is_recording()) throw std::logic_error("a recording copies or allocates");
}

}  // namespace

Device& device() {
  static Device the_device;
  return the_device;
}

std::size_t used_memory() { return used; }

MemoryAccess::MemoryAccess() { GuardedMemory::instance().open(); }
MemoryAccess::~MemoryAccess() { GuardedMemory::instance().close(); }

}  // namespace emulator

namespace {

constexpr std::size_t kAlignment = 256;

using Recording = std::vector<std::function<void()>>;

}  // namespace

Result<DeviceInfo> find_device() {
  const emulator::Device& device = emulator::device();
  if (!device.there || device.lost()) return Error("no GPU can be used: it is not there");
  device.when_found();
  return DeviceInfo{.name = "emulated",
                    .major = 9,
                    .memory_bytes = device.memory_bytes,
                    .free_bytes = device.memory_bytes - emulator::used_memory()};
}

void use_device() { emulator::check(); }

void* allocate_on_device(std::size_t bytes) {
  emulator::check_copy();
  const std::size_t free = emulator::device().memory_bytes - emulator::used_memory();
  if (bytes > free) {
    throw DeviceMemoryError("the GPU has no " + std::to_string(bytes) + " bytes left (" +
                            std::to_string(free) + " are free)");
  }
  void* data =
      emulator::device().guarded
          ? emulator::GuardedMemory::instance().allocate(bytes)
          : std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (!data) throw DeviceMemoryError("no memory");
  const emulator::MemoryAccess access;
  emulator::used += bytes;
  std::memset(data, 0xff, bytes);  // NaN for code that reads before writing
  return data;
}
void free_on_device(void* data, std::size_t bytes) {
  emulator::used -= bytes;
  if (!emulator::GuardedMemory::instance().owns(data)) std::free(data);
}
void* allocate_on_host(std::size_t bytes) { return std::malloc(bytes); }
void free_on_host(void* data, std::size_t) { std::free(data); }

DeviceQueue::DeviceQueue() { emulator::check(); }
DeviceQueue::~DeviceQueue() = default;
void DeviceQueue::copy_in(void* to, const void* from, std::size_t bytes) {
  emulator::check_copy();
  const emulator::MemoryAccess access;
  std::memcpy(to, from, bytes);
}
void DeviceQueue::copy_out(void* to, const void* from, std::size_t bytes) {
  emulator::check_copy();
  const emulator::MemoryAccess access;
  std::memcpy(to, from, bytes);
}
void DeviceQueue::fill(void* to, std::uint8_t value, std::size_t bytes) {
  emulator::check_copy();
  const emulator::MemoryAccess access;
  std::memset(to, value, bytes);
}
void DeviceQueue::copy_strips(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t bytes, std::size_t count) {
  emulator::check_copy();
  const emulator::MemoryAccess access;
  if (bytes > to_pitch || bytes > from_pitch) throw std::logic_error("strips overlap");
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<std::uint8_t*>(to) + i * to_pitch,
                static_cast<const std::uint8_t*>(from) + i * from_pitch, bytes);
  }
}
void DeviceQueue::wait() { emulator::check(); }

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
  emulator::check();
  for (const auto& work : *static_cast<const Recording*>(graph.handle_)) work();
}

}  // namespace redraft::cuda
