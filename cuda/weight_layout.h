#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/weight_format.h"

// How weights are laid out in a GPU's memory: the file's numbers in an order in which every lane of
// a warp reads its share with whole loads and has each number where a matrix instruction needs it.
// Reordered, never requantised.
//
// A tile is 16 outputs and all of k, front to back. It is divided into chunks of 64 k, which are
// four steps of a matrix instruction of depth 16. With g = l / 4 and t = l % 4, lane l of a warp
// has outputs g and g + 8 at k = 16 t .. 16 t + 15 of the chunk, four k of each in every step. So a
// lane needs one scale (of blocks of 16 or 32) for each of its outputs. With `step` 0 to 3 and part
// 0 to 3 (the registers of the instruction's left operand), the two numbers of a register are
//   output g + 8 (part % 2), k = 16 t + 4 step + 2 (part / 2) + {0, 1}.
//
// A chunk begins with the codes. For each lane:
//   4 bits: 16 bytes, a word for each step; in it, nibbles p and p + 4 belong to part p
//   5 bits: the same for the low four bits; after all lanes' 16 bytes, 4 bytes for each lane, in
//           which bits 4 s + p and 16 more are the fifth bits of step s and part p
//   6 bits: the same with 8 bytes: word s / 2 has the two bits at 2 (4 (s % 2) + p) and 16 more
//   8 bits: 2 times 16 bytes (all lanes' first, then all lanes' second): step s has words 2 s
//           and 2 s + 1, with one byte for each part in order
//   16 bits: 4 times 16 bytes, a word for each step and part
// Then follow, except for 16 bits, for each of 16 outputs:
//   Q4_K, Q5_K: scale and minimum of each 32, 4 bytes
//   Q6_K: four signed scales, one for each 16
//   others: d of both blocks of 32, 4 bytes; Q4_1, Q5_1: after that m of both, 4 bytes
// K formats start every four chunks with d and m (Q6_K: only d) of the 16 outputs, as halves.
namespace redraft::cuda {

inline constexpr int kTileOutputs = 16;
inline constexpr int kChunk = 64;
inline constexpr int kSteps = 4;             // of a matrix instruction in a chunk
inline constexpr int kSuperblockChunks = 4;  // of a K format

// Formats that linear layers on a GPU support. Not F32: no matrix instruction keeps all of its
// bits. Not codes of two or three bits, and no tables: they have no layout here.
constexpr bool supports(WeightFormat format) {
  const int bits = kernels::code_bits(format);
  return format != WeightFormat::kF32 && bits != 2 && bits != 3 && !kernels::has_table(format);
}

using kernels::is_k_format;

// Bits of a weight's code; 16 for formats without codes.
constexpr int code_bits(WeightFormat format) {
  const int bits = kernels::code_bits(format);
  return bits == 0 ? 16 : bits;
}

// Bytes of one chunk, and where its scales begin.
constexpr int code_bytes(WeightFormat format) {
  return code_bits(format) * kChunk * kTileOutputs / 8;
}
constexpr int chunk_bytes(WeightFormat format) {
  if (code_bits(format) == 16) return code_bytes(format);
  const bool two = format == WeightFormat::kQ4_1 || format == WeightFormat::kQ5_1;
  return code_bytes(format) + (two ? 8 : 4) * kTileOutputs;
}
// What the superblocks of a K format begin with.
constexpr int superblock_head_bytes(WeightFormat format) {
  if (!is_k_format(format)) return 0;
  return (format == WeightFormat::kQ6_K ? 2 : 4) * kTileOutputs;
}

constexpr int chunk_count(int k) { return (k + kChunk - 1) / kChunk; }
constexpr int tile_count(int n) { return (n + kTileOutputs - 1) / kTileOutputs; }

// Where chunk `chunk` of a tile begins; a multiple of 16.
constexpr std::size_t chunk_offset(WeightFormat format, int chunk) {
  const int heads = is_k_format(format) ? chunk / kSuperblockChunks + 1 : 0;
  return static_cast<std::size_t>(chunk) * static_cast<std::size_t>(chunk_bytes(format)) +
         static_cast<std::size_t>(heads * superblock_head_bytes(format));
}
// Where the head of the superblock that contains the chunk begins.
constexpr std::size_t superblock_offset(WeightFormat format, int chunk) {
  return chunk_offset(format, chunk / kSuperblockChunks * kSuperblockChunks) -
         static_cast<std::size_t>(superblock_head_bytes(format));
}

constexpr std::size_t tile_bytes(WeightFormat format, int k) {
  const int chunks = chunk_count(k);
  const int heads = is_k_format(format) ? (chunks + kSuperblockChunks - 1) / kSuperblockChunks : 0;
  return static_cast<std::size_t>(chunks) * static_cast<std::size_t>(chunk_bytes(format)) +
         static_cast<std::size_t>(heads * superblock_head_bytes(format));
}

// For n outputs by k inputs. Padding of tiles and chunks has the value zero.
constexpr std::size_t packed_bytes(WeightFormat format, int n, int k) {
  return static_cast<std::size_t>(tile_count(n)) * tile_bytes(format, k);
}

// `file` holds n rows of k weights in the file's order; k is a multiple of the format's block size.
// Writes tile `tile` to `out`, which is tile_bytes() long. Several threads may pack different tiles
// at once.
void pack_tile(WeightFormat format, int n, int k, const std::uint8_t* file, int tile,
               std::uint8_t* out);

}  // namespace redraft::cuda
