#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/tile_kernel.h"

// Kernels for AArch64. Linear layers need the dot-product instructions; with those of FEAT_I8MM
// they multiply two rows at a time. The sums are the same integers, and all bits are those of AVX2.
namespace redraft::kernels {

// Whether the processor has the instructions and the system lets programs use them.
bool neon_dotprod_available();
bool neon_i8mm_available();

TileKernel neon_dotprod_tile_kernel(WeightFormat format);

// smmla takes eight activations of two rows in one register. So the quants are stored a second time
// after the superblocks, arranged like them (see kRowGroup) but with two rows in one:
// [group][superblock][pair of rows][16 k][2][2 rows][8 k]. Of 16 k the first register has numbers
// 0-3 and 8-11, the second the others, in the order in which codes come out of two registers that
// were joined before they were opened. An odd last row is paired with itself. A single row has no
// such copy.
inline constexpr int kPairQuants = 2 * kSuperblock;
constexpr std::size_t pair_quants_bytes(int rows, int k) {
  if (rows == 1) return 0;
  return static_cast<std::size_t>((rows + 1) / 2) * kPairQuants *
         static_cast<std::size_t>(superblock_count(k));
}
// Copies the quants of columns [begin, end), whole superblocks, of one of `rows` rows from the
// row's superblocks, which are `stride` apart, to the row's place in its pair. Different rows and
// columns may be copied by different threads.
void copy_to_pairs(const ActivationSuperblock* x, int stride, int row, int rows, int k, int begin,
                   int end, std::int8_t* quants);

// The rows of one group, and their quants in pairs.
struct PairedRows {
  const ActivationSuperblock* x;
  const std::int8_t* quants;
};
// Like a TileKernel, for two rows or more.
using PairKernel = void (*)(const std::uint8_t* tile, const PairedRows& x, int rows, int blocks,
                            float* out);
PairKernel neon_i8mm_pair_kernel(WeightFormat format);  // null: not a quantised format

// Repeat an instruction as fast as possible for about a millisecond and return the number of
// multiply-adds: sdot, smmla, fmla, and smlal of 16 bits.
std::int64_t neon_dotprod_int8_macs();
std::int64_t neon_i8mm_int8_macs();
std::int64_t neon_f32_macs();
std::int64_t neon_int16_macs();

}  // namespace redraft::kernels
