#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "cuda/stream.h"
#include "decoding/model_failure.h"
#include "support/result.h"

// The few things that redraft wants of a GPU's driver besides running kernels. CUDA's runtime is
// linked into the program and finds the driver by itself; without one find_device() says so.
namespace redraft::cuda {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
};

// The GPU that is used from now on: the first one that the kernels run on. The error says what is
// missing.
Result<DeviceInfo> find_device();

// Makes the calling thread use the GPU that find_device() chose, the first one without it.
void use_device();

// The GPU failed at its work. Nothing can be asked of it any more by this process.
class DeviceError : public ModelFailure {
 public:
  using ModelFailure::ModelFailure;
};
// It does not have the memory, and is as it was.
class DeviceMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// Memory from the one function, given back by the other. Not initialised.
template <void* (*kAllocate)(std::size_t bytes), void (*kFree)(void* data, std::size_t bytes)>
class OwnedMemory {
 public:
  OwnedMemory() = default;
  // Throws DeviceMemoryError where there is not so much.
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
// Memory of the host that the GPU reaches by itself: copies from there need nobody to wait for
// them.
using HostMemory = OwnedMemory<allocate_on_host, free_on_host>;

// Work that was recorded once and is queued as a whole. It reads and writes where it did when it
// was recorded.
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

// Work of the GPU, done in the order in which it is queued. One thread at a time.
class DeviceQueue {
 public:
  DeviceQueue();
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  Stream stream() const { return stream_; }
  // Memory for what is queued here. Where the GPU has none left, `reclaim` frees some of what its
  // owner can do without, again and again until it returns false.
  DeviceMemory allocate(std::size_t bytes) const;
  void set_reclaim(std::function<bool()> reclaim) { reclaim_ = std::move(reclaim); }
  // Copies to and from the GPU. What `from` holds is read before copy_in() returns; `to` of
  // copy_out() holds it after the next wait().
  void copy_in(void* to, const void* from, std::size_t bytes);
  void copy_out(void* to, const void* from, std::size_t bytes);
  // Every byte of `bytes` from `to` on becomes `value`.
  void fill(void* to, std::uint8_t value, std::size_t bytes);
  // Within the GPU: `count` pieces of `bytes` bytes, `to_pitch` and `from_pitch` bytes apart, which
  // are no less.
  void copy_strips(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t bytes, std::size_t count);
  // What `record` queues is not done but kept. It allocates nothing and copies nothing from or to
  // the GPU.
  DeviceGraph record(const std::function<void()>& record);
  void queue(const DeviceGraph& graph);
  // Returns when all is done. Throws DeviceError if something of it failed.
  void wait();

 private:
  Stream stream_ = nullptr;
  std::function<bool()> reclaim_;
};

}  // namespace redraft::cuda
