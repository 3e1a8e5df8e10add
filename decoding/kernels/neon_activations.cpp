#include <cstring>

#include "decoding/kernels/neon_kernels.h"

namespace redraft::kernels {

void copy_to_pairs(const ActivationSuperblock* x, int stride, int row, int rows, int k, int begin,
                   int end, std::int8_t* quants) {
  constexpr int kFour = 4;  // quants that stay together
  const int group = row / kRowGroup;
  const int pairs = (rows_in_group(rows, group) + 1) / 2;
  const int in_pair = row % 2;
  const int copies = row == rows - 1 && in_pair == 0 ? 2 : 1;
  std::int8_t* const first = quants + group_offset(group, k) * kSuperblock +
                             static_cast<std::size_t>(row % kRowGroup / 2) * kPairQuants;
  for (int i = begin / kSuperblock; i < superblock_count(end); ++i) {
    const std::int8_t* const from = x[i * static_cast<std::ptrdiff_t>(stride)].quants;
    std::int8_t* const to = first + static_cast<std::size_t>(i) * pairs * kPairQuants;
    for (int four = 0; four < kSuperblock / kFour; ++four) {
      const int in_sixteen = four % 4;
      const int at = four / 4 * 32 + in_sixteen % 2 * 16 + in_sixteen / 2 * kFour + in_pair * 8;
      for (int copy = 0; copy < copies; ++copy)
        std::memcpy(to + at + copy * 8, from + four * kFour, kFour);
    }
  }
}

}  // namespace redraft::kernels
