#include "decoding/kernels/linear_rate.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "support/aligned_bytes.h"
#include "support/seconds_since.h"

namespace redraft::kernels {
namespace {

// Under a mebibyte of weights, which one core's L2 mostly holds.
constexpr int kOutputs = 1024;
constexpr int kInputs = 1536;
constexpr int kRows = 64;
constexpr int kRounds = 24;

}  // namespace

double measure_linear_gmacs(Isa isa, ThreadPool& pool) {
  constexpr WeightFormat kFormat = WeightFormat::kQ4_K;
  const std::vector<std::uint8_t> file(weight_bytes(kFormat, kOutputs, kInputs));
  const AlignedBytes packed = aligned_bytes(packed_bytes(kFormat, kOutputs, kInputs));
  pack(kFormat, kOutputs, kInputs, file.data(), packed.get(), pool);
  const std::vector<float> x(std::size_t{kRows} * kInputs, 1.0F);
  const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, kRows, kInputs));
  quantize_rows(isa, x.data(), kRows, kInputs, quantized.get(), pool);
  std::vector<float> y(std::size_t{kRows} * kOutputs);
  const PackedWeight weight{kFormat, isa, kOutputs, kInputs, packed.get()};
  double fastest = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    linear(weight, LinearInput(quantized.get()), kRows, nullptr, y.data(), kOutputs, pool);
    fastest = std::max(fastest, 1 / seconds_since(start));
  }
  return fastest * kRows * kInputs * kOutputs / 1e9;
}

}  // namespace redraft::kernels
