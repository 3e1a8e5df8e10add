#pragma once

#include <immintrin.h>

#include <cstdint>

// In an unnamed namespace, because every file is compiled for other instructions and needs its own
// copy.
namespace redraft::kernels {
namespace {

// Number of activation blocks above which one row takes up much of the L1.
constexpr int kWideBlocks = 128;

// Prefetches `bytes` of weights some way ahead of those being read. With two rows and more, the
// work per byte takes so long that the processor's own prefetcher falls behind at every page: lines
// are prefetched into the L2. With one row the prefetcher keeps up, and our requests would displace
// its own, unless the row is `wide`: then the weights evict the activations from the L1, and they
// are prefetched as non-temporal data.
template <int kRows>
inline __attribute__((always_inline)) void prefetch_weights(const std::uint8_t* p, int bytes,
                                                            bool wide) {
  if (kRows == 1 && !wide) return;
  const auto* ahead = reinterpret_cast<const char*>(p + (kRows == 1 ? 4096 : 8192));
  for (int i = 0; i < bytes; i += 64)
    _mm_prefetch(ahead + i, kRows == 1 ? _MM_HINT_NTA : _MM_HINT_T1);
}

}  // namespace
}  // namespace redraft::kernels
