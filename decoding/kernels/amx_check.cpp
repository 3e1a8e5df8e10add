#include <cstring>
#include <random>
#include <vector>

#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/checked_tiles.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/tile_kernel.h"

// The kernels could not be tested on every processor that has AMX. AMX and AVX-512 must never give
// different results in the same program, so each program compares them once, which takes a
// millisecond.
namespace redraft::kernels {
namespace {

// Rows of activations as quantize_rows makes them.
struct CheckedRows {
  explicit CheckedRows(std::minstd_rand& random)
      : superblocks(group_offset(kAmxRows / kRowGroup, kCheckedK)),
        quants(amx_quants_bytes(kAmxRows, kCheckedK)) {
    for (int row = 0; row < kAmxRows; ++row) {
      const std::vector<float> x = random_row(random);
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
  for (const WeightFormat format : kQuantizedFormats) {
    if (!agrees(format, x, random)) return false;
  }
  return true;
}

}  // namespace redraft::kernels
