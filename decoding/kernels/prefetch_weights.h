#pragma once

#include <cstdint>

// In an unnamed namespace, because every file is compiled for other instructions and needs its own
// copy.
namespace redraft::kernels {
namespace {

// Prefetches `bytes` of weights some way ahead of those being read. With two rows and more, the
// work per byte takes so long that the processor's own prefetcher falls behind at every page: lines
// are prefetched into the L2. A single row reads them once, so they are prefetched as non-temporal
// data if `one_row`. Some processors' own prefetchers keep up with one row, and our requests
// displace theirs.
template <int kRows>
inline __attribute__((always_inline)) void prefetch_weights(const std::uint8_t* p, int bytes,
                                                            bool one_row) {
  if (kRows == 1 && !one_row) return;
  const auto* ahead = reinterpret_cast<const char*>(p + (kRows == 1 ? 4096 : 8192));
  for (int i = 0; i < bytes; i += 64)
    __builtin_prefetch(ahead + i, 0, kRows == 1 ? 0 : 2);  // non-temporal; into the L2
}

}  // namespace
}  // namespace redraft::kernels
