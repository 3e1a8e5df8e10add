#include "cuda/weight_layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "decoding/kernels/weight_block.h"

namespace redraft::cuda {
namespace {

constexpr int kLanes = 32;

// One output's numbers in a chunk, as in the file.
struct OutputChunk {
  std::array<std::uint16_t, kChunk> codes{};  // or the 16-bit values themselves
  std::array<std::uint8_t, 8> scales{};       // in the order in which they follow the codes
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

// Reads one output's row chunk by chunk; a block that spans several chunks is unpacked once.
class RowReader {
 public:
  RowReader(WeightFormat format, const std::uint8_t* row, int k)
      : format_(format), info_(*weight_format_info(format)), row_(row), k_(k) {}

  OutputChunk read(int chunk) {
    OutputChunk out;
    const int begin = chunk * kChunk;
    const int count = std::min(kChunk, k_ - begin);
    if (code_bits(format_) == 16) {
      std::memcpy(out.codes.data(), row_ + 2 * begin, 2 * static_cast<std::size_t>(count));
      return out;
    }
    if (is_k_format(format_)) {
      open(begin / info_.block_size);
      read_superblock_part(format_, block_, chunk % kSuperblockChunks, out);
      return out;
    }
    for (int half = 0; half * info_.block_size < count; ++half) {
      open(begin / info_.block_size + half);
      std::copy_n(block_.codes, info_.block_size, out.codes.begin() + half * info_.block_size);
      put_half(block_.d, out.scales.data() + 2 * half);
      put_half(block_.m, out.scales.data() + 4 + 2 * half);
    }
    return out;
  }

 private:
  void open(int block) {
    if (block == opened_) return;
    kernels::read_block(format_, row_ + block * info_.block_bytes, block_);
    opened_ = block;
  }

  WeightFormat format_;
  WeightFormatInfo info_;
  const std::uint8_t* row_;
  int k_;
  kernels::WeightBlock block_;
  int opened_ = -1;
};

void or_word(std::uint8_t* at, std::uint32_t bits) {
  std::uint32_t word;
  std::memcpy(&word, at, 4);
  word |= bits;
  std::memcpy(at, &word, 4);
}

// Writes the four codes of a step, for an output in the first (0) or second (1) half of the tile,
// to where their lane reads them: `part` and `part` + 2, two codes each. The memory is zero before.
void put_codes(int bits, int lane, int step, int part, const std::uint16_t* codes,
               std::uint8_t* chunk) {
  const std::uint32_t c[4] = {codes[0], codes[1], codes[2], codes[3]};
  if (bits == 16) {
    std::uint8_t* to = chunk + (step * kLanes + lane) * 16 + 4 * part;
    or_word(to, c[0] | c[1] << 16);
    return or_word(to + 8, c[2] | c[3] << 16);
  }
  if (bits == 8) {
    std::uint8_t* to = chunk + (step / 2 * kLanes + lane) * 16 + step % 2 * 8;
    or_word(to, (c[0] | c[1] << 8) << (16 * part));
    return or_word(to + 4, (c[2] | c[3] << 8) << (16 * part));
  }
  const std::uint32_t low = (c[0] & 15) | (c[1] & 15) << 16 | (c[2] & 15) << 8 | (c[3] & 15) << 24;
  or_word(chunk + lane * 16 + 4 * step, low << (4 * part));
  std::uint8_t* more = chunk + kLanes * 16;
  if (bits == 5) {
    const std::uint32_t high = c[0] >> 4 | c[1] >> 4 << 16 | c[2] >> 4 << 2 | c[3] >> 4 << 18;
    or_word(more + lane * 4, high << (4 * step + part));
  } else if (bits == 6) {
    const std::uint32_t high = c[0] >> 4 | c[1] >> 4 << 16 | c[2] >> 4 << 4 | c[3] >> 4 << 20;
    or_word(more + lane * 8 + step / 2 * 4, high << (2 * (step % 2 * 4 + part)));
  }
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
    RowReader reader(format, row, k);
    for (int chunk = 0; chunk < chunk_count(k); ++chunk) {
      const OutputChunk from = reader.read(chunk);
      std::uint8_t* to = out + chunk_offset(format, chunk);
      for (int i = 0; i < kChunk; i += 4) {
        const int lane = output % 8 * 4 + i / 16;
        put_codes(bits, lane, i % 16 / 4, output / 8, &from.codes[static_cast<std::size_t>(i)], to);
      }
      if (bits == 16) continue;
      // For all outputs, the d of both blocks come before the m of both.
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
