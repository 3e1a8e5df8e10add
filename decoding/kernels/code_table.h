#pragma once

#include <cstdint>

#include "decoding/kernels/weight_format.h"

namespace redraft::kernels {

// What a four-bit code stands for in formats whose codes are indexes.
struct CodeTable {
  std::int8_t values[16];
};

// The steps of IQ4_NL and IQ4_XS, from ggml (kvalues_iq4nl): finer around zero.
inline constexpr CodeTable kIq4Table = {
    {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}};
// The numbers of two exponent bits and one mantissa bit (E2M1) of MXFP4, doubled: see the OCP
// Microscaling Formats specification.
inline constexpr CodeTable kE2m1Table = {{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}};

constexpr bool has_table(WeightFormat format) {
  return format == WeightFormat::kIQ4_NL || format == WeightFormat::kIQ4_XS ||
         format == WeightFormat::kMXFP4;
}
// Only for formats that have one.
constexpr const CodeTable& code_table(WeightFormat format) {
  return format == WeightFormat::kMXFP4 ? kE2m1Table : kIq4Table;
}

// (value + offset) * factor for each value of a format's table, as a byte.
struct OpenTable {
  std::uint8_t bytes[16];
};
constexpr OpenTable open_table(WeightFormat format, int offset, int factor = 1) {
  OpenTable out{};
  for (int i = 0; i < 16; ++i)
    out.bytes[i] = static_cast<std::uint8_t>((code_table(format).values[i] + offset) * factor);
  return out;
}

}  // namespace redraft::kernels
