#include "decoding/kernels/weight_format.h"

#include <cstring>

#include "decoding/kernels/code_table.h"
#include "decoding/kernels/half.h"
#include "decoding/kernels/weight_block.h"

namespace redraft {
namespace kernels {
namespace {

std::uint16_t read_u16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(p[0] | p[1] << 8);
}

std::uint32_t read_u32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(read_u16(p)) | static_cast<std::uint32_t>(read_u16(p + 2))
                                                       << 16;
}

// Four bits as the lowest bits of four bytes.
std::uint32_t spread_bits(std::uint32_t four) { return (four & 15) * 0x00204081u & 0x01010101u; }

// 32 nibbles: the low ones are weights 0..15, the high ones 16..31; bit i of `high_bits` is the
// fifth bit of weight i. Four weights at a time.
void read_codes32(const std::uint8_t* nibbles, std::uint32_t high_bits, std::uint8_t* codes) {
  for (int i = 0; i < 16; i += 4) {
    std::uint32_t pairs;
    std::memcpy(&pairs, nibbles + i, 4);
    const std::uint32_t low = (pairs & 0x0f0f0f0fu) | spread_bits(high_bits >> i) << 4;
    const std::uint32_t high = (pairs >> 4 & 0x0f0f0f0fu) | spread_bits(high_bits >> (i + 16)) << 4;
    std::memcpy(codes + i, &low, 4);
    std::memcpy(codes + i + 16, &high, 4);
  }
}

// Eight 6-bit scales and eight 6-bit minima in 12 bytes.
void read_scales_and_mins(const std::uint8_t* packed, WeightBlock& out) {
  for (int i = 0; i < 4; ++i) {
    out.scales[i] = packed[i] & 63;
    out.mins[i] = packed[i + 4] & 63;
    out.scales[i + 4] = static_cast<std::uint8_t>((packed[i + 8] & 15) | packed[i] >> 6 << 4);
    out.mins[i + 4] = static_cast<std::uint8_t>(packed[i + 8] >> 4 | packed[i + 4] >> 6 << 4);
  }
}

// Four chunks of 64 weights: low nibbles are the first 32, high nibbles the second. `high` (Q5_K)
// has one byte per weight of a sub-block, bit j belonging to sub-block j.
void read_k_codes(const std::uint8_t* nibbles, const std::uint8_t* high, std::uint8_t* codes) {
  for (int sub = 0; sub < 8; ++sub) {
    for (int i = 0; i < 32; ++i) {
      const int nibble = nibbles[sub / 2 * 32 + i] >> (sub % 2 * 4) & 15;
      const int fifth = high ? high[i] >> sub & 1 : 0;
      codes[sub * 32 + i] = static_cast<std::uint8_t>(nibble | fifth << 4);
    }
  }
}

// Two halves of 128 weights; quarter q of a half takes nibble q/2 of bytes (q%2)*32.. and bits 2q,
// 2q+1 of the high bytes.
void read_q6_codes(const std::uint8_t* low, const std::uint8_t* high, std::uint8_t* codes) {
  for (int half = 0; half < 2; ++half) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      for (int i = 0; i < 32; ++i) {
        const int nibble = low[half * 64 + quarter % 2 * 32 + i] >> (quarter / 2 * 4) & 15;
        const int top = high[half * 32 + i] >> (quarter * 2) & 3;
        codes[half * 128 + quarter * 32 + i] = static_cast<std::uint8_t>(nibble | top << 4);
      }
    }
  }
}

// Two halves of 128 weights; quarter q of a half has bits 2q, 2q+1 of 32 bytes. `high` (Q3_K) has
// one byte per weight of a quarter, bit j belonging to quarter j of all eight.
void read_small_k_codes(const std::uint8_t* low, const std::uint8_t* high, std::uint8_t* codes) {
  for (int quarter = 0; quarter < 8; ++quarter) {
    for (int i = 0; i < 32; ++i) {
      const int two = low[quarter / 4 * 32 + i] >> (quarter % 4 * 2) & 3;
      const int third = high ? high[i] >> quarter & 1 : 0;
      codes[quarter * 32 + i] = static_cast<std::uint8_t>(two | third << 2);
    }
  }
}

// 16 six-bit scales, stored plus 32, in 12 bytes: the low four bits in 8, then the high two.
void read_q3_scales(const std::uint8_t* packed, std::uint8_t* scales) {
  for (int i = 0; i < 16; ++i) {
    const int low = packed[i % 8] >> (i / 8 * 4) & 15;
    const int high = packed[8 + i % 4] >> (i / 4 * 2) & 3;
    scales[i] = static_cast<std::uint8_t>((low | high << 4) - 32);
  }
}

void read_q2_block(const std::uint8_t* block, WeightBlock& out) {
  for (int i = 0; i < 16; ++i) {
    out.scales[i] = block[i] & 15;
    out.mins[i] = block[i] >> 4;
  }
  read_small_k_codes(block + 16, nullptr, out.codes);
  out.d = read_u16(block + 80);
  out.m = read_u16(block + 82);
}

// Eight six-bit scales, stored plus 32: the high two bits of all in 2 bytes, then the low four in
// 4.
void read_iq4_xs_block(const std::uint8_t* block, WeightBlock& out) {
  out.d = read_u16(block);
  const int high = read_u16(block + 2);
  for (int i = 0; i < 8; ++i) {
    const int low = block[4 + i / 2] >> (i % 2 * 4) & 15;
    out.scales[i] = static_cast<std::uint8_t>((low | (high >> (2 * i) & 3) << 4) - 32);
    read_codes32(block + 8 + 16 * i, 0, out.codes + 32 * i);
  }
}

}  // namespace

void read_block(WeightFormat format, const std::uint8_t* block, WeightBlock& out) {
  switch (format) {
    case WeightFormat::kQ4_0:
    case WeightFormat::kIQ4_NL:
      out.d = read_u16(block);
      return read_codes32(block + 2, 0, out.codes);
    case WeightFormat::kQ4_1:
      out.d = read_u16(block);
      out.m = read_u16(block + 2);
      return read_codes32(block + 4, 0, out.codes);
    case WeightFormat::kQ5_0:
      out.d = read_u16(block);
      return read_codes32(block + 6, read_u32(block + 2), out.codes);
    case WeightFormat::kQ5_1:
      out.d = read_u16(block);
      out.m = read_u16(block + 2);
      return read_codes32(block + 8, read_u32(block + 4), out.codes);
    case WeightFormat::kQ8_0:
      out.d = read_u16(block);
      std::memcpy(out.codes, block + 2, 32);
      return;
    case WeightFormat::kQ4_K:
    case WeightFormat::kQ5_K: {
      const bool five = format == WeightFormat::kQ5_K;
      out.d = read_u16(block);
      out.m = read_u16(block + 2);
      read_scales_and_mins(block + 4, out);
      return read_k_codes(block + (five ? 48 : 16), five ? block + 16 : nullptr, out.codes);
    }
    case WeightFormat::kQ6_K:
      read_q6_codes(block, block + 128, out.codes);
      std::memcpy(out.scales, block + 192, 16);
      out.d = read_u16(block + 208);
      return;
    case WeightFormat::kQ2_K:
      return read_q2_block(block, out);
    case WeightFormat::kQ3_K:
      read_small_k_codes(block + 32, block, out.codes);
      read_q3_scales(block + 96, out.scales);
      out.d = read_u16(block + 108);
      return;
    case WeightFormat::kIQ4_XS:
      return read_iq4_xs_block(block, out);
    case WeightFormat::kMXFP4:
      out.d = block[0];
      return read_codes32(block + 1, 0, out.codes);
    case WeightFormat::kF32:
    case WeightFormat::kF16:
    case WeightFormat::kBF16:
      return;
  }
}

void dequantize_block(WeightFormat format, const WeightBlock& block, float* out) {
  const float d = format == WeightFormat::kMXFP4
                      ? exponent_to_float(static_cast<std::uint8_t>(block.d))
                      : half_to_float(block.d);
  const float m = half_to_float(block.m);
  const int size = weight_format_info(format)->block_size;
  for (int i = 0; i < size; ++i) {
    const int code = block.codes[i];
    switch (format) {
      case WeightFormat::kQ4_0:
        out[i] = d * static_cast<float>(code - 8);
        break;
      case WeightFormat::kQ5_0:
        out[i] = d * static_cast<float>(code - 16);
        break;
      case WeightFormat::kQ8_0:
        out[i] = d * static_cast<float>(static_cast<std::int8_t>(code));
        break;
      case WeightFormat::kQ3_K:
      case WeightFormat::kQ6_K:
        out[i] = d * static_cast<float>(static_cast<std::int8_t>(block.scales[i / 16])) *
                 static_cast<float>(code - (format == WeightFormat::kQ3_K ? 4 : 32));
        break;
      case WeightFormat::kQ2_K:
        out[i] = d * static_cast<float>(block.scales[i / 16]) * static_cast<float>(code) -
                 m * static_cast<float>(block.mins[i / 16]);
        break;
      case WeightFormat::kIQ4_NL:
      case WeightFormat::kMXFP4:
        out[i] = d * static_cast<float>(code_table(format).values[code]);
        break;
      case WeightFormat::kIQ4_XS:
        out[i] = d * static_cast<float>(static_cast<std::int8_t>(block.scales[i / 32])) *
                 static_cast<float>(code_table(format).values[code]);
        break;
      case WeightFormat::kQ4_K:
      case WeightFormat::kQ5_K:
        out[i] = d * static_cast<float>(block.scales[i / 32]) * static_cast<float>(code) -
                 m * static_cast<float>(block.mins[i / 32]);
        break;
      default:
        out[i] = d * static_cast<float>(code) + m;
        break;  // Q4_1, Q5_1
    }
  }
}

}  // namespace kernels

const WeightFormatInfo* weight_format_info(WeightFormat format) {
  static constexpr WeightFormatInfo kF32{"F32", 1, 4}, kF16{"F16", 1, 2}, kBF16{"BF16", 1, 2},
      kQ4_0{"Q4_0", 32, 18}, kQ4_1{"Q4_1", 32, 20}, kQ5_0{"Q5_0", 32, 22}, kQ5_1{"Q5_1", 32, 24},
      kQ8_0{"Q8_0", 32, 34}, kQ4_K{"Q4_K", 256, 144}, kQ5_K{"Q5_K", 256, 176},
      kQ6_K{"Q6_K", 256, 210}, kQ2_K{"Q2_K", 256, 84}, kQ3_K{"Q3_K", 256, 110},
      kIQ4_NL{"IQ4_NL", 32, 18}, kIQ4_XS{"IQ4_XS", 256, 136}, kMXFP4{"MXFP4", 32, 17};
  switch (format) {
    case WeightFormat::kF32:
      return &kF32;
    case WeightFormat::kF16:
      return &kF16;
    case WeightFormat::kBF16:
      return &kBF16;
    case WeightFormat::kQ4_0:
      return &kQ4_0;
    case WeightFormat::kQ4_1:
      return &kQ4_1;
    case WeightFormat::kQ5_0:
      return &kQ5_0;
    case WeightFormat::kQ5_1:
      return &kQ5_1;
    case WeightFormat::kQ8_0:
      return &kQ8_0;
    case WeightFormat::kQ4_K:
      return &kQ4_K;
    case WeightFormat::kQ5_K:
      return &kQ5_K;
    case WeightFormat::kQ6_K:
      return &kQ6_K;
    case WeightFormat::kQ2_K:
      return &kQ2_K;
    case WeightFormat::kQ3_K:
      return &kQ3_K;
    case WeightFormat::kIQ4_NL:
      return &kIQ4_NL;
    case WeightFormat::kIQ4_XS:
      return &kIQ4_XS;
    case WeightFormat::kMXFP4:
      return &kMXFP4;
  }
  return nullptr;
}

std::size_t weight_bytes(WeightFormat format, std::int64_t rows, std::int64_t columns) {
  const WeightFormatInfo& info = *weight_format_info(format);
  return static_cast<std::size_t>(rows * (columns / info.block_size)) *
         static_cast<std::size_t>(info.block_bytes);
}

void dequantize_row(WeightFormat format, const void* row, int columns, float* out) {
  const auto* bytes = static_cast<const std::uint8_t*>(row);
  if (format == WeightFormat::kF32) {
    std::memcpy(out, bytes, static_cast<std::size_t>(columns) * sizeof(float));
    return;
  }
  if (format == WeightFormat::kF16 || format == WeightFormat::kBF16) {
    for (int i = 0; i < columns; ++i) {
      const std::uint16_t bits = kernels::read_u16(bytes + 2 * i);
      out[i] = format == WeightFormat::kF16 ? kernels::half_to_float(bits)
                                            : kernels::bfloat16_to_float(bits);
    }
    return;
  }
  const WeightFormatInfo& info = *weight_format_info(format);
  kernels::WeightBlock block;
  for (int i = 0; i < columns; i += info.block_size, bytes += info.block_bytes) {
    kernels::read_block(format, bytes, block);
    kernels::dequantize_block(format, block, out + i);
  }
}

}  // namespace redraft
