#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/kernels/weight_format.h"

namespace redraft {

// A tensor as stored in a model's file. Checked: the format is known, a row is a whole number of
// blocks, and `data` is all of it.
struct StoredTensor {
  std::string_view name;  // in its file
  WeightFormat format;
  std::vector<std::int64_t>
      shape;  // [columns, rows, …]: the fastest dimension first, 1 to 4 of them, each >= 1
  std::span<const std::uint8_t> data;

  std::int64_t columns() const { return shape[0]; }
  std::int64_t rows() const;
};

// "its shape is [64, 32] where [32, 64] is expected"
std::string unexpected_shape(const std::vector<std::int64_t>& shape,
                             const std::vector<std::int64_t>& expected);

// Text from a file as errors show it: in quotes, at most a line long, without control characters.
std::string quoted(std::string_view text);

}  // namespace redraft
