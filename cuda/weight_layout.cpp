#include "cuda/weight_layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "decoding/kernels/weight_block.h"

namespace redraft::cuda {
namespace {

constexpr int kLanes = 32;
constexpr int kParts = 4;

// One output's numbers of a chunk, as the file has them.
struct OutputChunk {
  std::array<std::uint16_t, kChunk> codes{};  // or the 16-bit values themselves
  std::array<std::uint8_t, 8> scales{};       // as they follow the codes
  std::array<std::uint8_t, 4> head{};         // d and m of a K format
};

void put_half(std::uint16_t half, std::uint8_t* out) {
  out[0] = static_cast<std::uint8_t>(half);
  out[1] = static_cast<std::uint8_t>(half >> 8);
}

void read_superblock_part(WeightFormat format, const kernels::WeightBlock& block, int quarter,
                          OutputChunk& out) {
  for (int i = 0; i < kChunk; ++i)
    out.codes[static_cast<std::size_t>(i)] = block.codes[quarter * kChunk + i];
  put_half(block.d, out.head.data());
  if (format == WeightFormat::kQ6_K) {
    std::copy_n(block.scales + 4 * quarter, 4, out.scales.begin());
    return;
  }
  put_half(block.m, out.head.data() + 2);
  const auto first = static_cast<std::size_t>(quarter) * 2;
  for (std::size_t half = 0; half < 2; ++half) {
    out.scales[2 * half] = block.scales[first + half];
    out.scales[2 * half + 1] = block.mins[first + half];
  }
}

OutputChunk read_chunk(WeightFormat format, const std::uint8_t* row, int k, int chunk) {
  OutputChunk out;
  const WeightFormatInfo info = *weight_format_info(format);
  const int begin = chunk * kChunk;
  const int count = std::min(kChunk, k - begin);
  if (code_bits(format) == 16) {
    std::memcpy(out.codes.data(), row + 2 * begin, 2 * static_cast<std::size_t>(count));
    return out;
  }
  kernels::WeightBlock block;
  if (is_k_format(format)) {
    kernels::read_block(format, row + begin / info.block_size * info.block_bytes, block);
    read_superblock_part(format, block, chunk % kSuperblockChunks, out);
    return out;
  }
  for (int half = 0; half * info.block_size < count; ++half) {
    kernels::read_block(format, row + (begin / info.block_size + half) * info.block_bytes, block);
    std::copy_n(block.codes, info.block_size, out.codes.begin() + half * info.block_size);
    put_half(block.d, out.scales.data() + 2 * half);
    put_half(block.m, out.scales.data() + 4 + 2 * half);
  }
  return out;
}

void or_word(std::uint8_t* at, std::uint32_t bits) {
  std::uint32_t word;
  std::memcpy(&word, at, 4);
  word |= bits;
  std::memcpy(at, &word, 4);
}

// Puts one code where its lane looks for it; `chunk` is zero there.
void put_code(int bits, int lane, int step, int part, int which, std::uint32_t code,
              std::uint8_t* chunk) {
  if (bits == 16) {
    or_word(chunk + (step * kLanes + lane) * 16 + 4 * part, code << (16 * which));
    return;
  }
  if (bits == 8) {
    const int word = 2 * step + part / 2;
    or_word(chunk + (word / 4 * kLanes + lane) * 16 + word % 4 * 4,
            code << (8 * (2 * (part % 2) + which)));
    return;
  }
  or_word(chunk + lane * 16 + 4 * step, (code & 15) << (4 * (part + 4 * which)));
  const int at = 4 * step + part;
  std::uint8_t* more = chunk + kLanes * 16;
  if (bits == 5) or_word(more + lane * 4, (code >> 4) << (at + 16 * which));
  if (bits == 6) or_word(more + lane * 8 + at / 8 * 4, (code >> 4) << (2 * (at % 8) + 16 * which));
}

}  // namespace

void pack_tile(WeightFormat format, int n, int k, const std::uint8_t* file, int tile,
               std::uint8_t* out) {
  std::memset(out, 0, tile_bytes(format, k));
  const std::size_t row_bytes = weight_bytes(format, 1, k);
  const int bits = code_bits(format);
  const int scale_bytes = (chunk_bytes(format) - code_bytes(format)) / kTileOutputs;
  for (int output = 0; output < std::min(kTileOutputs, n - tile * kTileOutputs); ++output) {
    const std::uint8_t* row =
        file + static_cast<std::size_t>(tile * kTileOutputs + output) * row_bytes;
    for (int chunk = 0; chunk < chunk_count(k); ++chunk) {
      const OutputChunk from = read_chunk(format, row, k, chunk);
      std::uint8_t* to = out + chunk_offset(format, chunk);
      for (int i = 0; i < kChunk; ++i) {
        const int lane = output % 8 * 4 + i / 16;
        const int step = i % 16 / 4;
        const int part = output / 8 + 2 * (i % 4 / 2);
        put_code(bits, lane, step, part, i % 2, from.codes[static_cast<std::size_t>(i)], to);
      }
      if (bits == 16) continue;
      // The d of both blocks of all outputs come before the m of both.
      std::uint8_t* scales = to + code_bytes(format);
      std::copy_n(from.scales.begin(), 4, scales + output * 4);
      if (scale_bytes == 8)
        std::copy_n(from.scales.begin() + 4, 4, scales + (kTileOutputs + output) * 4);
      const int head = superblock_head_bytes(format) / kTileOutputs;
      std::copy_n(from.head.begin(), head, out + superblock_offset(format, chunk) + output * head);
    }
  }
}

}  // namespace redraft::cuda
