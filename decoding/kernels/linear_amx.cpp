// The tile kernels on the processor's own tiles. They use assembly instead of the compiler's
// intrinsics for two reasons: those of g++ 12 do not tell the compiler that a tile load reads
// memory, so a store before it could be delayed past it; and they take the number of a tile as a
// token, not as a constant of a template.
//
// This file is compiled for AVX-512: it must not instantiate inline functions that other files may
// share.
#include "decoding/kernels/amx_kernel_template.h"

namespace redraft::kernels {
namespace {

struct ProcessorTiles {
  static void configure(const TileConfig& config) { asm volatile("ldtilecfg %0" : : "m"(config)); }
  static void release() { asm volatile("tilerelease"); }

  template <int kTile>
  static REDRAFT_INLINE void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  static REDRAFT_INLINE void load(const void* from, std::size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
  }
  template <int kTile>
  static REDRAFT_INLINE void store(void* to, std::size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kTile) : "memory");
  }
  // Adds the product of rows of kA (signed bytes) and columns of kB (signed bytes in groups of
  // four) to kSums.
  template <int kSums, int kA, int kB>
  static REDRAFT_INLINE void add_products() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kA), "i"(kB));
  }
};

using Kernels = AmxKernels<ProcessorTiles>;

}  // namespace

AmxKernel amx_tile_kernel(WeightFormat format) { return Kernels::of_format(format); }

AmxTiles::AmxTiles(WeightFormat format) { Kernels::configure(format); }
AmxTiles::~AmxTiles() { ProcessorTiles::release(); }

std::int64_t amx_int8_macs() { return Kernels::peak_macs(1 << 15); }

}  // namespace redraft::kernels
