#pragma once

#include "decoding/kernels/tile_kernel.h"

// How the file of each instruction set chooses among its instantiations. In an unnamed namespace,
// because every file is compiled for other instructions and needs its own copy.
namespace redraft::kernels {
namespace {

// Kernel<format>::run, or null for formats that are not quantised.
template <template <WeightFormat> class Kernel>
auto kernel_of_format(WeightFormat format) -> decltype(&Kernel<WeightFormat::kQ4_0>::run) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return Kernel<WeightFormat::kQ4_0>::run;
    case WeightFormat::kQ4_1:
      return Kernel<WeightFormat::kQ4_1>::run;
    case WeightFormat::kQ5_0:
      return Kernel<WeightFormat::kQ5_0>::run;
    case WeightFormat::kQ5_1:
      return Kernel<WeightFormat::kQ5_1>::run;
    case WeightFormat::kQ8_0:
      return Kernel<WeightFormat::kQ8_0>::run;
    case WeightFormat::kQ4_K:
      return Kernel<WeightFormat::kQ4_K>::run;
    case WeightFormat::kQ5_K:
      return Kernel<WeightFormat::kQ5_K>::run;
    case WeightFormat::kQ6_K:
      return Kernel<WeightFormat::kQ6_K>::run;
    case WeightFormat::kQ2_K:
      return Kernel<WeightFormat::kQ2_K>::run;
    case WeightFormat::kQ3_K:
      return Kernel<WeightFormat::kQ3_K>::run;
    case WeightFormat::kIQ4_NL:
      return Kernel<WeightFormat::kIQ4_NL>::run;
    case WeightFormat::kIQ4_XS:
      return Kernel<WeightFormat::kIQ4_XS>::run;
    case WeightFormat::kMXFP4:
      return Kernel<WeightFormat::kMXFP4>::run;
    default:
      return nullptr;
  }
}

// A kernel for any number of rows, made of Rows<format, number>::run(tile, x, blocks, out), for
// which the number is a compile-time constant, so that it keeps that many sums in registers.
template <template <WeightFormat, int> class Rows>
struct AnyRows {
  template <WeightFormat kFormat>
  struct Kernel {
    static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int rows, int blocks,
                    float* out) {
      switch (rows) {
        case 1:
          return Rows<kFormat, 1>::run(tile, x, blocks, out);
        case 2:
          return Rows<kFormat, 2>::run(tile, x, blocks, out);
        case 3:
          return Rows<kFormat, 3>::run(tile, x, blocks, out);
        case 4:
          return Rows<kFormat, 4>::run(tile, x, blocks, out);
        case 5:
          return Rows<kFormat, 5>::run(tile, x, blocks, out);
        case 6:
          return Rows<kFormat, 6>::run(tile, x, blocks, out);
        case 7:
          return Rows<kFormat, 7>::run(tile, x, blocks, out);
        default:
          return Rows<kFormat, 8>::run(tile, x, blocks, out);
      }
    }
  };
};

}  // namespace
}  // namespace redraft::kernels
