#include "decoding/kernels/packed_rows.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

// Any embedding may be read from the packed head: not a bit differs from the row of the file. More
// than one tile, a last tile that is not full, whole and cut superblocks.
TEST(PackedRows, HaveTheBitsOfTheFile) {
  std::mt19937 random(7);
  constexpr int kOutputs = 37;
  for (const WeightFormat format : kAllFormats) {
    for (const int k : {256, 512, 288, 32}) {
      if (k % weight_format_info(format)->block_size != 0) continue;
      const std::vector<std::uint8_t> file = random_file(format, kOutputs, k, random);
      const TestWeight weight = make_weight(format, Isa::kPortable, kOutputs, k, file);
      const std::size_t stride = weight_bytes(format, 1, k);
      for (int row = 0; row < kOutputs; ++row) {
        std::vector<float> expected(static_cast<std::size_t>(k));
        std::vector<float> got(static_cast<std::size_t>(k));
        dequantize_row(format, file.data() + static_cast<std::size_t>(row) * stride, k,
                       expected.data());
        dequantize_packed_row(format, k, weight.data.get(), row, got.data());
        ASSERT_EQ(std::memcmp(expected.data(), got.data(), expected.size() * sizeof(float)), 0)
            << weight_format_info(format)->name << ", k " << k << ", row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
