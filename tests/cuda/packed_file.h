#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "cuda/linear.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::cuda {

inline constexpr WeightFormat kFormats[] = {
    WeightFormat::kF16,  WeightFormat::kBF16, WeightFormat::kQ4_0, WeightFormat::kQ4_1,
    WeightFormat::kQ5_0, WeightFormat::kQ5_1, WeightFormat::kQ8_0, WeightFormat::kQ4_K,
    WeightFormat::kQ5_K, WeightFormat::kQ6_K};

// A weight matrix as in a file and as packed for a GPU.
class PackedFile {
 public:
  PackedFile(WeightFormat format, int n, int k, std::mt19937& random)
      : PackedFile(format, n, k, random_bytes(format, n, k, random)) {}
  PackedFile(WeightFormat format, int n, int k, std::vector<std::uint8_t> file)
      : file_(std::move(file)),
        data_(aligned_bytes(packed_bytes(format, n, k))),
        weight_{format, n, k, data_.get()} {
    for (int tile = 0; tile < tile_count(n); ++tile) {
      pack_tile(format, n, k, file_.data(), tile,
                data_.get() + static_cast<std::size_t>(tile) * tile_bytes(format, k));
    }
  }
  const Weight& weight() const { return weight_; }
  const std::vector<std::uint8_t>& file() const { return file_; }

 private:
  static std::vector<std::uint8_t> random_bytes(WeightFormat format, int n, int k,
                                                std::mt19937& random) {
    std::vector<std::uint8_t> file = kernels::random_file(format, n, k, random);
    if (format != WeightFormat::kF16) return file;
    std::normal_distribution<float> normal;  // random bytes would include NaN
    for (std::size_t i = 0; i < file.size(); i += 2) {
      const std::uint16_t half = kernels::float_to_half(normal(random));
      std::memcpy(&file[i], &half, 2);
    }
    return file;
  }

  std::vector<std::uint8_t> file_;
  AlignedBytes data_;
  Weight weight_;
};

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> x(count);
  for (float& value : x) value = normal(random) * std::exp2(normal(random));
  return x;
}

inline std::vector<std::uint16_t> random_halves(std::size_t count, float spread,
                                                std::mt19937& random) {
  std::normal_distribution<float> normal(0.0F, spread);
  std::vector<std::uint16_t> halves(count);
  for (std::uint16_t& half : halves) half = kernels::float_to_half(normal(random));
  return halves;
}

}  // namespace redraft::cuda
