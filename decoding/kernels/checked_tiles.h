#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/tile_kernel.h"
#include "decoding/kernels/weight_format.h"

// Test data for checking kernels on a processor on which they were not tested.
namespace redraft::kernels {

inline constexpr int kCheckedK = 2 * kSuperblock;
inline constexpr WeightFormat kQuantizedFormats[] = {
    WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ5_0,   WeightFormat::kQ5_1,
    WeightFormat::kQ8_0, WeightFormat::kQ4_K, WeightFormat::kQ5_K,   WeightFormat::kQ6_K,
    WeightFormat::kQ2_K, WeightFormat::kQ3_K, WeightFormat::kIQ4_NL, WeightFormat::kIQ4_XS,
    WeightFormat::kMXFP4};

// A tile for kCheckedK inputs: random codes and scales; every half-precision number is finite.
std::vector<std::uint8_t> random_tile(WeightFormat format, std::minstd_rand& random);

// A row of kCheckedK activations from -1 to 1.
std::vector<float> random_row(std::minstd_rand& random);

// The rows in the form that a TileKernel reads.
std::vector<ActivationSuperblock> random_rows(int rows, QuantizeKernel quantize,
                                              std::minstd_rand& random);

}  // namespace redraft::kernels
