#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "decoding/kernels/checked_tiles.h"
#include "decoding/kernels/child_check.h"
#include "decoding/kernels/packed_layout.h"

namespace redraft::kernels {
namespace {

bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & 1u << 4) != 0;
}

bool agrees_with_avx2() {
  std::minstd_rand random(1);
  return std::ranges::all_of(kQuantizedFormats, [&](WeightFormat format) {
    const std::vector<std::uint8_t> tile = random_tile(format, random);
    return std::ranges::all_of(std::array{1, kRowGroup, kMaxTileRows}, [&](int rows) {
      const std::vector<ActivationSuperblock> x = random_rows(rows, avx2_quantize, random);
      float expected[kMaxTileRows * kTileOutputs];
      float got[kMaxTileRows * kTileOutputs];
      const int blocks = block_count(kCheckedK);
      avx2_tile_kernel(format)(tile.data(), x.data(), rows, blocks, expected);
      avx_vnni_tile_kernel(format)(tile.data(), x.data(), rows, blocks, got);
      return std::memcmp(got, expected, sizeof(float) * rows * kTileOutputs) == 0;
    });
  });
}

}  // namespace

bool avx_vnni_available() {
  static const bool available = has_avx_vnni() && holds_in_a_child(agrees_with_avx2);
  return available;
}

}  // namespace redraft::kernels
