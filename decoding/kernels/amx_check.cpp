#include <cstring>
#include <random>
#include <vector>

#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/tile_kernel.h"

// The kernels could not be tried on every processor that has AMX. What must not happen is that AMX
// and AVX-512 give different results in the same program, so each program compares them once, which
// takes a millisecond.
namespace redraft::kernels {
namespace {

constexpr int kCheckedK = 2 * kSuperblock;

// Random codes and scales; every half-precision number is finite.
std::vector<std::uint8_t> random_tile(WeightFormat format, std::minstd_rand& random) {
  std::vector<std::uint8_t> tile(tile_bytes(format, kCheckedK));
  for (std::uint8_t& byte : tile) byte = static_cast<std::uint8_t>(random() >> 8);
  const SuperblockLayout layout = superblock_layout(format, kSuperblockBlocks);
  for (std::size_t super = 0; super < tile.size(); super += layout.bytes) {
    const auto scales = static_cast<std::size_t>(layout.d);
    for (std::size_t at = super + scales; at < super + layout.bytes; at += 2)
      tile[at + 1] = static_cast<std::uint8_t>(0x2c | (tile[at + 1] & 0x83));  // near 1/16
  }
  return tile;
}

// Rows of activations as quantize_rows makes them.
struct CheckedRows {
  explicit CheckedRows(std::minstd_rand& random)
      : superblocks(group_offset(kAmxRows / kRowGroup, kCheckedK)),
        quants(amx_quants_bytes(kAmxRows, kCheckedK)) {
    std::vector<float> x(kCheckedK);
    for (int row = 0; row < kAmxRows; ++row) {
      for (float& value : x) value = static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
      ActivationSuperblock* out =
          superblocks.data() + group_offset(row / kRowGroup, kCheckedK) + row % kRowGroup;
      avx512_quantize(x.data(), kCheckedK, 0, kCheckedK, out, kRowGroup);
      copy_to_amx_tiles(out, kRowGroup, row, kAmxRows, kCheckedK, 0, kCheckedK, quants.data());
    }
  }
  std::vector<ActivationSuperblock> superblocks;
  std::vector<std::int8_t> quants;
};

bool agrees(WeightFormat format, const CheckedRows& x, std::minstd_rand& random) {
  const std::vector<std::uint8_t> tile = random_tile(format, random);
  std::vector<float> expected(kAmxRows * kTileOutputs);
  std::vector<float> got(expected.size());
  for (int row = 0; row < kAmxRows; row += kRowGroup) {
    avx512_tile_kernel(format)(
        tile.data(), x.superblocks.data() + group_offset(row / kRowGroup, kCheckedK), kRowGroup,
        block_count(kCheckedK), expected.data() + row * kTileOutputs);
  }
  {
    const AmxTiles tiles(format);
    amx_tile_kernel(format)(tile.data(), {x.superblocks.data(), x.quants.data()}, kAmxRows,
                            block_count(kCheckedK), got.data());
  }
  return std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0;
}

}  // namespace

bool amx_agrees_with_avx512() {
  std::minstd_rand random(1);
  const CheckedRows x(random);
  for (const WeightFormat format :
       {WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ5_0, WeightFormat::kQ5_1,
        WeightFormat::kQ8_0, WeightFormat::kQ4_K, WeightFormat::kQ5_K, WeightFormat::kQ6_K}) {
    if (!agrees(format, x, random)) return false;
  }
  return true;
}

}  // namespace redraft::kernels
