#include <cstring>

#include "decoding/kernels/amx_kernel.h"

namespace redraft::kernels {

void copy_to_amx_tiles(const ActivationSuperblock* x, int stride, int row, int rows, int k,
                       int begin, int end, std::int8_t* quants) {
  constexpr std::size_t kTileBlock = std::size_t{kAmxTileRows} * kBlock;
  const int in_tile = row % kAmxTileRows;
  std::int8_t* to = quants + static_cast<std::size_t>(row / kAmxTileRows) * amx_tile_bytes(k) +
                    static_cast<std::size_t>(in_tile) * kBlock + begin / kBlock * kTileBlock;
  const int missing = row == rows - 1 ? kAmxTileRows - 1 - in_tile : 0;
  const int last = superblock_count(end) * kSuperblockBlocks;
  for (int block = begin / kBlock; block < last; ++block, to += kTileBlock) {
    const ActivationSuperblock& super = x[block / kSuperblockBlocks * stride];
    std::memcpy(to, super.quants + block % kSuperblockBlocks * kBlock, kBlock);
    std::memset(to + kBlock, 0, static_cast<std::size_t>(missing) * kBlock);
  }
}

}  // namespace redraft::kernels
