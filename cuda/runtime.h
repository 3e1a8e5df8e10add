#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "cuda/stream.h"
#include "decoding/model_failure.h"
#include "support/result.h"

// The few things that redraft needs from a GPU's driver besides running kernels. CUDA's runtime is
// linked into the program and finds the driver by itself; without a driver, find_device() says so.
namespace redraft::cuda {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
};

// Finds the GPU to use: the first one that the kernels run on. The error says what is missing.
Result<DeviceInfo> find_device();

// Makes the calling thread use the GPU that find_device() chose, or the first one if none was
// chosen.
void use_device();

// The GPU failed. This process cannot use it any more.
class DeviceError : public ModelFailure {
 public:
  using ModelFailure::ModelFailure;
};
// The GPU does not have enough memory; nothing has changed.
class DeviceMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// Memory allocated by one function and freed by the other. Not initialised.
template <void* (*kAllocate)(std::size_t bytes), void (*kFree)(void* data, std::size_t bytes)>
class OwnedMemory {
 public:
  OwnedMemory() = default;
  // Throws DeviceMemoryError if there is not enough memory.
  explicit OwnedMemory(std::size_t bytes)
      : data_(bytes > 0 ? kAllocate(bytes) : nullptr), bytes_(bytes) {}
  ~OwnedMemory() {
    if (data_) kFree(data_, bytes_);
  }
  OwnedMemory(OwnedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  OwnedMemory& operator=(OwnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::size_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

void* allocate_on_device(std::size_t bytes);
void free_on_device(void* data, std::size_t bytes);
void* allocate_on_host(std::size_t bytes);
void free_on_host(void* data, std::size_t bytes);

// Memory of the GPU, 256-byte aligned.
using DeviceMemory = OwnedMemory<allocate_on_device, free_on_device>;
// Host memory that the GPU accesses directly: copies to and from it do not block.
using HostMemory = OwnedMemory<allocate_on_host, free_on_host>;

// Work that was recorded once and is queued as a whole. It reads and writes the same addresses as
// when it was recorded.
class DeviceGraph {
 public:
  DeviceGraph() = default;
  ~DeviceGraph();
  DeviceGraph(DeviceGraph&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  DeviceGraph& operator=(DeviceGraph&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

 private:
  friend class DeviceQueue;
  void* handle_ = nullptr;
};

// The GPU's work, done in the order in which it is queued. One thread at a time.
class DeviceQueue {
 public:
  DeviceQueue();
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  Stream stream() const { return stream_; }
  // Memory for the work that is queued here. If the GPU has none left, `reclaim` is called until
  // there is enough or it returns false; each call frees something that its owner can do without.
  DeviceMemory allocate(std::size_t bytes) const;
  void set_reclaim(std::function<bool()> reclaim) { reclaim_ = std::move(reclaim); }
  // Copies to and from the GPU. `from` is read before copy_in() returns; `to` of copy_out() is
  // valid after the next wait().
  void copy_in(void* to, const void* from, std::size_t bytes);
  void copy_out(void* to, const void* from, std::size_t bytes);
  // Sets each of the `bytes` bytes at `to` to `value`.
  void fill(void* to, std::uint8_t value, std::size_t bytes);
  // Copies within the GPU: `count` pieces of `bytes` bytes, which are `to_pitch` and `from_pitch`
  // bytes apart; a pitch is at least `bytes`.
  void copy_strips(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t bytes, std::size_t count);
  // Keeps what `record` queues instead of running it. `record` must not allocate, and must not copy
  // from or to the GPU.
  DeviceGraph record(const std::function<void()>& record);
  void queue(const DeviceGraph& graph);
  // Returns when everything is done. Throws DeviceError if anything failed.
  void wait();

 private:
  Stream stream_ = nullptr;
  std::function<bool()> reclaim_;
};

}  // namespace redraft::cuda
