#pragma once

#include <algorithm>
#include <cstdint>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/thread_pool.h"

namespace redraft::kernels {

// Fewer elements than this are not worth waking another thread.
inline constexpr std::int64_t kMinShared = 4096;

// Calls body(first_row, end_row, begin, end) over rectangles that cover [rows, n]; columns are cut
// at superblocks. Threads divide the columns in the same way as the outputs of linear layers, so a
// thread finds what it wrote there in its own caches. That matters most where cores do not share a
// cache. If there are too few columns, threads divide the rows.
template <typename Body>
void for_each_part(int rows, int n, ThreadPool& pool, const Body& body) {
  if (static_cast<std::int64_t>(rows) * n < kMinShared) return body(0, rows, 0, n);
  const int superblocks = superblock_count(n);
  if (superblocks < 2 * pool.threads() && superblocks < rows) {
    const int grain = static_cast<int>(std::max<std::int64_t>(1, kMinShared / n));
    return pool.parallel_for(rows, grain, [&](int begin, int end) { body(begin, end, 0, n); });
  }
  pool.parallel_for(superblocks, 1, [&](int begin, int end) {
    body(0, rows, begin * kSuperblock, std::min(n, end * kSuperblock));
  });
}

}  // namespace redraft::kernels
