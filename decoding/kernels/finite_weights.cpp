// Loops over bits without early exits, so that the compiler can vectorise them: a number is not
// finite if all bits of its exponent are set.
#include "decoding/kernels/finite_weights.h"

#include <cstddef>
#include <cstring>

namespace redraft {

namespace {

constexpr std::uint16_t kHalfExponent = 0x7C00;
constexpr std::uint16_t kBf16Exponent = 0x7F80;
constexpr std::uint32_t kFloatExponent = 0x7F800000;

// For numbers that are `stride` bytes apart.
template <typename Bits, Bits kExponent>
bool all_finite(const std::uint8_t* at, std::size_t count, std::size_t stride) {
  std::size_t bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, at + i * stride, sizeof(bits));
    bad += (bits & kExponent) == kExponent;
  }
  return bad == 0;
}

// MXFP4's: with a larger one 12, the largest value of a code, is infinite, and 255 stands for NaN.
constexpr std::uint8_t kLargestExponent = 252;

bool exponents_are_finite(const std::uint8_t* at, std::size_t count, std::size_t stride) {
  std::size_t bad = 0;
  for (std::size_t i = 0; i < count; ++i) bad += at[i * stride] > kLargestExponent;
  return bad == 0;
}

// The byte offsets of a block's scale and minimum; -1: none.
struct ScalePlaces {
  int scale;
  int minimum;
};
ScalePlaces scale_places(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ5_1:
    case WeightFormat::kQ4_K:
    case WeightFormat::kQ5_K:
      return {0, 2};
    case WeightFormat::kQ6_K:
      return {208, -1};  // after the codes and the scales of the sub-blocks
    case WeightFormat::kQ2_K:
      return {80, 82};
    case WeightFormat::kQ3_K:
      return {108, -1};
    default:
      return {0, -1};
  }
}

}  // namespace

bool are_finite(WeightFormat format, std::span<const std::uint8_t> blocks) {
  const auto size = static_cast<std::size_t>(weight_format_info(format)->block_bytes);
  const std::size_t count = blocks.size() / size;
  const std::uint8_t* at = blocks.data();
  switch (format) {
    case WeightFormat::kF32:
      return all_finite<std::uint32_t, kFloatExponent>(at, count, sizeof(float));
    case WeightFormat::kF16:
      return all_finite<std::uint16_t, kHalfExponent>(at, count, 2);
    case WeightFormat::kBF16:
      return all_finite<std::uint16_t, kBf16Exponent>(at, count, 2);
    case WeightFormat::kMXFP4:
      return exponents_are_finite(at, count, size);
    default: {
      const auto [scale, minimum] = scale_places(format);
      return all_finite<std::uint16_t, kHalfExponent>(at + scale, count, size) &&
             (minimum < 0 || all_finite<std::uint16_t, kHalfExponent>(at + minimum, count, size));
    }
  }
}

}  // namespace redraft
