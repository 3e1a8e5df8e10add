#pragma once

#include <cstdint>

#include "decoding/kernels/weight_format.h"

namespace redraft::kernels {

// One quantised block of a file, unpacked: integers as stored, nothing multiplied yet. The value of
// a weight:
//   Q4_0, Q5_0    d * (code - 8 or 16)             Q8_0  d * (code as int8)
//   Q4_1, Q5_1    d * code + m
//   Q4_K, Q5_K    d * scales[i/32] * code - m * mins[i/32]
//   Q2_K          d * scales[i/16] * code - m * mins[i/16]
//   Q3_K, Q6_K    d * (scales[i/16] as int8) * (code - 4 or 32)
//   IQ4_NL        d * table[code]                  table: see code_table.h
//   IQ4_XS        d * (scales[i/32] as int8) * table[code]
//   MXFP4         2^(d - 128) * table[code]
struct WeightBlock {
  std::uint16_t d = 0;  // half precision; MXFP4: an exponent
  std::uint16_t m = 0;  // half precision
  std::uint8_t scales[16] = {};
  std::uint8_t mins[16] = {};
  std::uint8_t codes[256] = {};
};

// `format` must be quantised; `block` holds its block_bytes.
void read_block(WeightFormat format, const std::uint8_t* block, WeightBlock& out);
// Writes the values of the block's weights, as many as the format has in a block.
void dequantize_block(WeightFormat format, const WeightBlock& block, float* out);

}  // namespace redraft::kernels
