// AVX-VNNI's kernels give AVX2's bits: with the instruction emulated, so that every machine with
// AVX2 checks it, and with the instruction itself where there is one.
#include <gtest/gtest.h>

#include <cstring>

#include "decoding/kernels/checked_tiles.h"
#include "decoding/kernels/packed_layout.h"
#include "tests/decoding/kernels/emulated_dpbusd.h"

namespace redraft::kernels {
namespace {

void expect_bits_of_avx2(TileKernel (*kernel)(WeightFormat)) {
  std::minstd_rand random(7);
  for (const WeightFormat format : kQuantizedFormats) {
    for (int rows = 1; rows <= kMaxTileRows; ++rows) {
      const std::vector<ActivationSuperblock> x = random_rows(rows, avx2_quantize, random);
      const std::vector<std::uint8_t> tile = random_tile(format, random);
      float expected[kMaxTileRows * kTileOutputs];
      float got[kMaxTileRows * kTileOutputs];
      avx2_tile_kernel(format)(tile.data(), x.data(), rows, block_count(kCheckedK), expected);
      kernel(format)(tile.data(), x.data(), rows, block_count(kCheckedK), got);
      EXPECT_EQ(std::memcmp(got, expected, sizeof(float) * rows * kTileOutputs), 0)
          << weight_format_info(format)->name << ", rows " << rows;
    }
  }
}

TEST(AvxVnni, GivesTheBitsOfAvx2Emulated) {
  if (!is_available(Isa::kAvx2)) GTEST_SKIP() << "this processor does without AVX2";
  expect_bits_of_avx2(emulated_avx_vnni_tile_kernel);
}

TEST(AvxVnni, GivesTheBitsOfAvx2) {
  if (!is_available(Isa::kAvxVnni)) GTEST_SKIP() << "this processor does without AVX-VNNI";
  expect_bits_of_avx2(avx_vnni_tile_kernel);
}

}  // namespace
}  // namespace redraft::kernels
