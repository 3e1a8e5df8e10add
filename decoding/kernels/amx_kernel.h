#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/weight_format.h"

// Linear layers on Intel's AMX, which multiplies tiles of int8: 16 rows of activations by 16
// outputs at a time. The results have the bits of the AVX-512 kernels (see amx_kernel_template.h),
// so the number of rows may decide which of the two is used.
namespace redraft::kernels {

inline constexpr int kAmxTileRows = 16;
// One call of a kernel uses an unpacked tile of weights for up to this many rows.
inline constexpr int kAmxRows = 4 * kAmxTileRows;

// A tile is loaded from rows at a constant distance from one another, and the rows of superblocks
// do not have one. So the quants are stored a second time after the superblocks, alone: [16
// rows][block][row][32]; the last tile of rows is padded with zeros. A group of rows or fewer is
// left to AVX-512 and has no such copy.
constexpr std::size_t amx_tile_bytes(int k) {
  return static_cast<std::size_t>(superblock_count(k)) * kSuperblock * kAmxTileRows;
}
constexpr std::size_t amx_quants_bytes(int rows, int k) {
  if (rows <= kRowGroup) return 0;
  const int tiles = (rows + kAmxTileRows - 1) / kAmxTileRows;
  return static_cast<std::size_t>(tiles) * amx_tile_bytes(k);
}
// Copies the quants of columns [begin, end), whole superblocks, of one of `rows` rows from the
// row's superblocks, which are `stride` apart, to the row's position in its tile. The last row pads
// its tile. Different threads may copy different rows and columns.
void copy_to_amx_tiles(const ActivationSuperblock* x, int stride, int row, int rows, int k,
                       int begin, int end, std::int8_t* quants);

// Rows starting with one that begins both a group and a tile.
struct AmxInput {
  const ActivationSuperblock* superblocks;
  const std::int8_t* quants;
};

// Like a TileKernel, for `rows` <= kAmxRows. The thread's tiles must be configured for the format.
using AmxKernel = void (*)(const std::uint8_t* tile, const AmxInput& x, int rows, int blocks,
                           float* out);
AmxKernel amx_tile_kernel(WeightFormat format);  // null: not a quantised format

// Configures the calling thread's tiles for a format's kernel as long as this object lives. A
// thread with configured tiles saves 8 KiB more at every context switch, so keep the lifetime to
// that of a range of work.
class AmxTiles {
 public:
  explicit AmxTiles(WeightFormat format);
  ~AmxTiles();
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

// Multiplies tiles as fast as possible for about a millisecond. Returns the number of
// multiply-adds.
std::int64_t amx_int8_macs();

// Whether the processor has AMX for int8, the system lets this process use it, and its results
// equal those of AVX-512. Needs AVX-512 VNNI. Determined once, in the first call.
bool amx_available();
// The last of these checks: every format's kernel against that of AVX-512, on a small input. Runs
// in a child process, so that not even a fault ends the program.
bool amx_agrees_with_avx512();

}  // namespace redraft::kernels
