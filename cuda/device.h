#pragma once

// The language of the kernels: CUDA C++, and functions for the few instructions that it has no name
// for. A source file of kernels also compiles as C++ for an emulated device, which runs the very
// same lines, thread by thread, where there is no GPU: REDRAFT_EMULATED_DEVICE is then the header
// of that device.

#include <cstddef>
#include <cstdint>

#ifdef REDRAFT_EMULATED_DEVICE
#include REDRAFT_EMULATED_DEVICE
#else
#include <cuda_runtime.h>
#endif

namespace redraft::cuda {

inline constexpr int kWarp = 32;

#ifndef REDRAFT_EMULATED_DEVICE

// Shared memory of the block, as many bytes as it was launched with; 16-byte aligned.
__device__ inline std::uint8_t* shared_memory() {
  extern __shared__ __align__(16) std::uint8_t memory[];
  return memory;
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, const Arguments&... arguments) {
  // More than this must be requested explicitly.
  constexpr std::size_t kGiven = 48 * 1024;
  if (shared_bytes > kGiven) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(shared_bytes));
  }
  kernel<<<grid, block, shared_bytes, stream>>>(arguments...);
}

// acc += a b for a of 16 by 16 and b of 16 by 8, both in half precision, with sums in single
// precision. With g = l / 4 and t = l % 4, lane l holds: of a, rows g (a[0], a[2]) and g + 8 (a[1],
// a[3]) at columns 2t, 2t + 1 (a[0], a[1]) and 8 more (a[2], a[3]); of b, column g at rows 2t, 2t +
// 1 (b[0]) and 8 more (b[1]); of acc, columns 2t and 2t + 1 of row g and of row g + 8.
__device__ inline void multiply_halves(float (&acc)[4], const std::uint32_t (&a)[4],
                                       std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The same for bfloat16.
__device__ inline void multiply_bfloats(float (&acc)[4], const std::uint32_t (&a)[4],
                                        std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two halves in a register, the first one in the low bits. Each operation rounds once, to nearest
// even.
__device__ inline std::uint32_t to_halves(float low, float high) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(high), "f"(low));
  return halves;
}
__device__ inline std::uint32_t to_bfloats(float low, float high) {
  std::uint32_t bfloats;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bfloats) : "f"(high), "f"(low));
  return bfloats;
}
__device__ inline float low_half(std::uint32_t halves) {
  float value;
  asm("{.reg .f16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}"
      : "=f"(value)
      : "r"(halves));
  return value;
}
__device__ inline float high_half(std::uint32_t halves) { return low_half(halves >> 16); }
__device__ inline float low_bfloat(std::uint32_t bfloats) { return __uint_as_float(bfloats << 16); }
__device__ inline std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
__device__ inline std::uint32_t fma_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}

// A load of data that is read once and need not stay in the caches: weights.
__device__ inline uint4 stream_in(const uint4* from) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from));
  return value;
}

// Selects bytes from the 8 in (a, b), where a's lowest is number 0: byte i of the result is the one
// whose number is nibble i of `selector`.
__device__ inline std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b,
                                           std::uint32_t selector) {
  return __byte_perm(a, b, selector);
}

template <typename T>
__device__ T of_lane_across(T value, int distance) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}

#endif

}  // namespace redraft::cuda
