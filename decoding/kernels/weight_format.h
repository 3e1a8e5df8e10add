#pragma once

#include <cstddef>
#include <cstdint>

namespace redraft {

// How a weight tensor is stored in a model file. Values are GGUF's ggml_type numbers.
enum class WeightFormat : std::uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kIQ4_XS = 23,
  kBF16 = 30,
  kMXFP4 = 39,
};

struct WeightFormatInfo {
  const char* name;
  int block_size;   // weights per block along a row
  int block_bytes;  // bytes per block in the file
};

// Null for a number that this build does not know.
const WeightFormatInfo* weight_format_info(WeightFormat format);

// Bytes of `rows` x `columns` weights in the file; `columns` is a multiple of the block size.
std::size_t weight_bytes(WeightFormat format, std::int64_t rows, std::int64_t columns);

// Converts one row of weights to floats. This defines what a format means and is the reference for
// every kernel.
void dequantize_row(WeightFormat format, const void* row, int columns, float* out);

}  // namespace redraft
