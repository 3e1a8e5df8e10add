#include "decoding/kernels/checked_tiles.h"

#include "decoding/kernels/packed_layout.h"

namespace redraft::kernels {

std::vector<std::uint8_t> random_tile(WeightFormat format, std::minstd_rand& random) {
  std::vector<std::uint8_t> tile(tile_bytes(format, kCheckedK));
  for (std::uint8_t& byte : tile) byte = static_cast<std::uint8_t>(random() >> 8);
  const SuperblockLayout layout = superblock_layout(format, kSuperblockBlocks);
  for (std::size_t super = 0; super < tile.size(); super += layout.bytes) {
    const auto scales = static_cast<std::size_t>(layout.d);
    if (format == WeightFormat::kMXFP4) {
      for (std::size_t at = super + scales; at < super + layout.bytes; ++at)
        tile[at] = static_cast<std::uint8_t>(120 + tile[at] % 8);
      continue;
    }
    for (std::size_t at = super + scales; at < super + layout.bytes; at += 2)
      tile[at + 1] = static_cast<std::uint8_t>(0x2c | (tile[at + 1] & 0x83));  // near 1/16
  }
  return tile;
}

std::vector<float> random_row(std::minstd_rand& random) {
  std::vector<float> x(kCheckedK);
  for (float& value : x) value = static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
  return x;
}

std::vector<ActivationSuperblock> random_rows(int rows, QuantizeKernel quantize,
                                              std::minstd_rand& random) {
  const int superblocks = superblock_count(kCheckedK);
  std::vector<ActivationSuperblock> x(static_cast<std::size_t>(rows * superblocks));
  for (int row = 0; row < rows; ++row) {
    const int group = row / kRowGroup;
    quantize(random_row(random).data(), kCheckedK, 0, kCheckedK,
             x.data() + group_offset(group, kCheckedK) + row % kRowGroup,
             rows_in_group(rows, group));
  }
  return x;
}

}  // namespace redraft::kernels
