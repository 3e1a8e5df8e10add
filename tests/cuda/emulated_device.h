#pragma once

// A GPU for tests, in C++: runs the threads of a block as fibers, one block after the other, and
// implements the instructions that cuda/device.h names. It checks the logic of the kernels (which
// thread reads and writes what, in which order, and that all threads arrive at barriers). It cannot
// check a real device's arithmetic within a matrix product, or its memory model.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

// CUDA's own names, which are not ours to choose.
// NOLINTBEGIN(readability-identifier-naming)
#define __global__
#define __device__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
// Aligned as on a device; kernels are compiled so that an unaligned load is a fault.
struct alignas(16) uint4 {
  std::uint32_t x, y, z, w;
};
struct alignas(8) uint2 {
  std::uint32_t x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct CUstream_st;
using cudaStream_t = CUstream_st*;

inline dim3 threadIdx, blockIdx, blockDim, gridDim;
// NOLINTEND(readability-identifier-naming)

namespace redraft::cuda {

namespace emulator {

// kProducts: matrix products are slightly wrong. kNeighbours: products have a wrong last bit in the
// first row if the second row is not zero.
enum class Flaw { kNone, kProducts, kNeighbours };
// The properties of the device, for tests to change before its threads start.
struct Device {
  Flaw flaw = Flaw::kNone;
  bool there = true;
  std::size_t memory_bytes = std::size_t{64} << 30;
  // Memory allocated while this is set may only be touched by kernels and copies; any other access
  // is a fault.
  bool guarded = false;
  std::function<void()> when_found = [] {};           // what a driver does when it is loaded
  std::function<bool()> lost = [] { return false; };  // once true, every call to the device fails
};
Device& device();
std::size_t used_memory();

// As long as one of these exists, guarded memory can be touched.
class MemoryAccess {
 public:
  MemoryAccess();
  ~MemoryAccess();
  MemoryAccess(const MemoryAccess&) = delete;
  MemoryAccess& operator=(const MemoryAccess&) = delete;
};

// Does `work`, or stores it in the recording if there is one.
void submit(const std::function<void()>& work);
void record_to(std::vector<std::function<void()>>* recording);  // null: ends the recording
bool is_recording();

// Runs `thread` once for every thread of the grid. A block whose threads do not all arrive at a
// barrier throws std::logic_error.
void run(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread);

std::uint8_t* shared_memory();
// A barrier for the whole block.
void meet_block();
// A barrier for a warp, to which every lane brings `bytes` bytes. One lane calls `all` with the 32
// pieces, one after the other; then each lane gets its own piece back as `all` left it.
void meet_warp(void* piece, std::size_t bytes, const std::function<void(std::uint8_t*)>& all);

}  // namespace emulator

inline std::uint8_t* shared_memory() { return emulator::shared_memory(); }

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t, const Arguments&... arguments) {
  emulator::submit([kernel, grid, block, shared_bytes, arguments...] {
    emulator::run(grid, block, shared_bytes, [&] { kernel(arguments...); });
  });
}

void multiply_halves(float (&acc)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                     std::uint32_t b1);
void multiply_bfloats(float (&acc)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                      std::uint32_t b1);
std::uint32_t to_halves(float low, float high);
std::uint32_t to_bfloats(float low, float high);
float low_half(std::uint32_t halves);
float high_half(std::uint32_t halves);
float low_bfloat(std::uint32_t bfloats);
std::uint32_t add_halves(std::uint32_t a, std::uint32_t b);
std::uint32_t fma_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c);
inline uint4 stream_in(const uint4* from) { return *from; }
std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector);

template <typename T>
T of_lane_across(T value, int distance) {
  emulator::meet_warp(&value, sizeof value, [distance](std::uint8_t* pieces) {
    T before[32];
    T after[32];
    std::memcpy(before, pieces, sizeof before);
    for (int lane = 0; lane < 32; ++lane) after[lane] = before[lane ^ distance];
    std::memcpy(pieces, after, sizeof after);
  });
  return value;
}

}  // namespace redraft::cuda

// NOLINTBEGIN(readability-identifier-naming)
inline unsigned long long atomicMax(unsigned long long* at, unsigned long long value) {
  const unsigned long long before = *at;
  if (value > before) *at = value;
  return before;
}
inline void __syncthreads() { redraft::cuda::emulator::meet_block(); }
// NOLINTEND(readability-identifier-naming)
