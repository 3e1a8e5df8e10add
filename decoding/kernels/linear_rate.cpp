#include "decoding/kernels/linear_rate.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "support/seconds_since.h"

namespace redraft::kernels {
namespace {

// Under a mebibyte of weights, which one core's L2 mostly holds.
constexpr int kOutputs = 1024;
constexpr int kInputs = 1536;
constexpr int kRows = 64;
constexpr int kRounds = 24;

// Zeros in memory that begins at a multiple of 64.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size) : bytes_(size + 63) {}
  std::uint8_t* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + (64 - address % 64) % 64;
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

double measure_linear_gmacs(Isa isa, ThreadPool& pool) {
  constexpr WeightFormat kFormat = WeightFormat::kQ4_K;
  const std::vector<std::uint8_t> file(weight_bytes(kFormat, kOutputs, kInputs));
  AlignedBytes packed(packed_bytes(kFormat, kOutputs, kInputs));
  pack(kFormat, kOutputs, kInputs, file.data(), packed.data(), pool);
  const std::vector<float> x(std::size_t{kRows} * kInputs, 1.0F);
  AlignedBytes quantized(quantized_bytes(isa, kRows, kInputs));
  quantize_rows(isa, x.data(), kRows, kInputs, quantized.data(), pool);
  std::vector<float> y(std::size_t{kRows} * kOutputs);
  const PackedWeight weight{kFormat, isa, kOutputs, kInputs, packed.data()};
  double fastest = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    linear(weight, LinearInput(quantized.data()), kRows, nullptr, y.data(), kOutputs, pool);
    fastest = std::max(fastest, 1 / seconds_since(start));
  }
  return fastest * kRows * kInputs * kOutputs / 1e9;
}

}  // namespace redraft::kernels
